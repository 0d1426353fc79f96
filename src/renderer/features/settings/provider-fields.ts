import { isLoopback } from '#shared/loopback';
import { ProviderEdit, type EditableProvider, type ProviderOffer } from '#shared/provider-row';
import type { WireName } from '#shared/model';
import { text, type TextKey } from '../../locales/text';
import type { FieldProblem } from './use-field-problem';

/** The fields of the form, as typed. */
export interface ProviderFields {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly unprotected: boolean;
  readonly keyVariable: string | null;
  readonly wire: WireName | '';
  /** One model a line. */
  readonly models: string;
  readonly organization: string;
  /** One `Name: value` a line; a hidden value stays when its line stays. */
  readonly headers: string;
  readonly first: string;
  readonly idle: string;
  readonly proxy: string;
}

export const emptyFields: ProviderFields = {
  name: '',
  baseUrl: '',
  key: '',
  unprotected: false,
  keyVariable: null,
  wire: '',
  models: '',
  organization: '',
  headers: '',
  first: '',
  idle: '',
  proxy: '',
};

/** Stands for the value of a header that the window must not see. */
const hidden = '••••••';

export function fieldsOf({ edit }: EditableProvider): ProviderFields {
  const { first, idle } = edit.timeouts;
  return {
    ...emptyFields,
    name: edit.name,
    baseUrl: edit.baseUrl,
    wire: edit.wire ?? '',
    keyVariable: edit.keyVariable,
    models: edit.models.join('\n'),
    organization: edit.organization ?? '',
    headers: Object.entries(edit.headers)
      .map(([name, value]) => `${name}: ${value ?? hidden}`)
      .join('\n'),
    first: first === undefined ? '' : String(first),
    idle: idle === undefined ? '' : String(idle),
    proxy: edit.proxy ?? '',
  };
}

/** What choosing a known provider fills in. */
export const fieldsOfOffer = ({
  name,
  baseUrl,
  wire,
  foundKeys,
}: ProviderOffer): Partial<ProviderFields> => ({
  name,
  baseUrl,
  wire,
  keyVariable: foundKeys[0] ?? null,
});

const linesOf = (value: string): readonly string[] =>
  value
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

type Headers = ProviderEdit['headers'];

function headersOf(value: string): Headers | null {
  const headers: [string, string | null][] = [];
  for (const line of linesOf(value)) {
    const at = line.indexOf(':');
    if (at < 1) return null;
    const shown = line.slice(at + 1).trim();
    headers.push([line.slice(0, at).trim(), shown === hidden ? null : shown]);
  }
  return Object.fromEntries(headers);
}

/** Undefined: the field is empty. Null: it is not a whole number of seconds. */
function secondsOf(value: string): number | undefined | null {
  if (value.trim() === '') return undefined;
  const seconds = Number(value);
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= 3600 ? seconds : null;
}

/** A quick check; main validates the whole address. */
const isWebAddress = (address: string): boolean => /^https?:$/.test(URL.parse(address)?.protocol ?? '');

/** The host that messages and a key would reach unencrypted; null for https and for this computer. */
export function unencryptedHost(address: string): string | null {
  const url = URL.parse(address.trim());
  return url?.protocol === 'http:' && !isLoopback(url.hostname) ? url.host : null;
}

type Problem = FieldProblem<keyof ProviderFields>;

export type ReadFields =
  { readonly ok: true; readonly edit: ProviderEdit } | ({ readonly ok: false } & Problem);

const problemOf = (field: keyof ProviderFields, problem: string): ReadFields => ({
  ok: false,
  field,
  problem,
});

/** What to say about a member of the edit that main would refuse. */
const refusals = {
  name: 'settings.provider.badName',
  baseUrl: 'settings.provider.badAddress',
  organization: 'settings.provider.badOrganization',
  headers: 'settings.provider.badHeader',
  models: 'settings.provider.badModels',
  proxy: 'settings.provider.badProxy',
} as const satisfies Partial<Record<keyof ProviderFields, TextKey>>;

const isRefusable = (member: PropertyKey | undefined): member is keyof typeof refusals =>
  member !== undefined && Object.hasOwn(refusals, member);

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The first field whose value cannot be read. */
function unreadable({ name, baseUrl, headers, first, idle, proxy }: ProviderFields): Problem | undefined {
  const rows: readonly (readonly [field: keyof ProviderFields, readable: boolean, problem: TextKey])[] = [
    ['name', name.trim() !== '', 'settings.provider.badName'],
    ['baseUrl', isWebAddress(baseUrl.trim()), 'settings.provider.badAddress'],
    ['headers', headersOf(headers) !== null, 'settings.provider.badHeaders'],
    ['first', secondsOf(first) !== null, 'settings.provider.badTimeout'],
    ['idle', secondsOf(idle) !== null, 'settings.provider.badTimeout'],
    ['proxy', proxy.trim() === '' || isWebAddress(proxy.trim()), 'settings.provider.badProxy'],
  ];
  const row = rows.find(([, readable]) => !readable);
  return row && { field: row[0], problem: text(row[2]) };
}

/** The edit that the fields describe, or what is wrong with one of them; `names` are of the other providers. */
export function readFields(fields: ProviderFields, names: readonly string[] = []): ReadFields {
  const unread = unreadable(fields);
  if (unread) return { ok: false, ...unread };
  const [first, idle] = [secondsOf(fields.first), secondsOf(fields.idle)];
  const edit: ProviderEdit = {
    name: fields.name.trim(),
    baseUrl: fields.baseUrl.trim(),
    headers: headersOf(fields.headers) ?? {},
    timeouts: { ...(first && { first }), ...(idle && { idle }) },
    wire: fields.wire === '' ? null : fields.wire,
    organization: fields.organization.trim() || null,
    models: [...linesOf(fields.models)],
    proxy: fields.proxy.trim() || null,
    keyVariable: fields.key.trim() === '' ? fields.keyVariable : null,
  };
  return checkEdit(edit, names);
}

/** The edit as main takes it, or which of its members main would refuse. */
function checkEdit(edit: ProviderEdit, names: readonly string[]): ReadFields {
  const checked = ProviderEdit.safeParse(edit);
  if (!checked.success) {
    const member = checked.error.issues[0]?.path[0];
    const field = isRefusable(member) ? member : 'baseUrl';
    return problemOf(field, text(refusals[field]));
  }
  const taken = names.find((other) => sameName(other, checked.data.name));
  if (taken !== undefined) return problemOf('name', text('settings.provider.nameTaken', { name: taken }));
  return { ok: true, edit: checked.data };
}
