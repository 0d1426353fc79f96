import { isLoopback } from '#shared/loopback';
import { ProviderEdit, type EditableProvider, type ProviderOffer } from '#shared/provider-row';
import type { WireName } from '#shared/model';
import { text, type TextKey } from '../../locales/text';

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

export type ReadFields =
  { readonly ok: true; readonly edit: ProviderEdit } | { readonly ok: false; readonly problem: string };

const problem = (words: string): ReadFields => ({ ok: false, problem: words });

/** What to say about a member of the edit that main would refuse. */
const problemOf: Readonly<Record<string, TextKey>> = {
  name: 'settings.provider.badName',
  organization: 'settings.provider.badOrganization',
  headers: 'settings.provider.badHeader',
  models: 'settings.provider.badModels',
  proxy: 'settings.provider.badProxy',
};

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The edit that the fields describe, or what is wrong with them in one sentence; `names` are of the other providers. */
export function readFields(fields: ProviderFields, names: readonly string[] = []): ReadFields {
  const [name, baseUrl, proxy] = [fields.name.trim(), fields.baseUrl.trim(), fields.proxy.trim()];
  if (name === '' || !isWebAddress(baseUrl)) return problem(text('settings.provider.incomplete'));
  const headers = headersOf(fields.headers);
  if (headers === null) return problem(text('settings.provider.badHeaders'));
  const timeouts = timeoutsOf(fields);
  if (timeouts === null) return problem(text('settings.provider.badTimeout'));
  if (proxy !== '' && !isWebAddress(proxy)) return problem(text('settings.provider.badProxy'));
  const edit: ProviderEdit = {
    name,
    baseUrl,
    headers,
    timeouts,
    wire: fields.wire === '' ? null : fields.wire,
    organization: fields.organization.trim() || null,
    models: [...linesOf(fields.models)],
    proxy: proxy || null,
    keyVariable: fields.key.trim() === '' ? fields.keyVariable : null,
  };
  return checkEdit(edit, names);
}

/** The edit as main takes it, or which of its members main would refuse. */
function checkEdit(edit: ProviderEdit, names: readonly string[]): ReadFields {
  const checked = ProviderEdit.safeParse(edit);
  if (!checked.success) {
    const member = String(checked.error.issues[0]?.path[0]);
    return problem(text(problemOf[member] ?? 'settings.provider.incomplete'));
  }
  const taken = names.find((other) => sameName(other, checked.data.name));
  if (taken !== undefined) return problem(text('settings.provider.nameTaken', { name: taken }));
  return { ok: true, edit: checked.data };
}

function timeoutsOf({ first, idle }: ProviderFields): ProviderEdit['timeouts'] | null {
  const [untilFirst, between] = [secondsOf(first), secondsOf(idle)];
  if (untilFirst === null || between === null) return null;
  return {
    ...(untilFirst !== undefined && { first: untilFirst }),
    ...(between !== undefined && { idle: between }),
  };
}
