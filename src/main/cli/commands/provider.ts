import { appError, type AppError } from '#shared/app-error';
import { WireName } from '#shared/model';
import { ProviderEdit, providerId, type EditableProvider } from '#shared/provider-row';
import { err, ok, type Result } from '#shared/result';
import type { App } from '../../app';
import { fail, print, type ExitCode, type Terminal } from '../output';

type ProvidersApp = Pick<App, 'providers'>;

/** Options of `provider add` and `provider set`; absent stays as it is, empty removes. */
export interface ProviderOptions {
  readonly name?: string;
  readonly url?: string;
  readonly wire?: string;
  readonly model?: readonly string[];
  readonly header?: readonly string[];
  readonly organization?: string;
  readonly first?: number | null;
  readonly idle?: number | null;
  readonly proxy?: string;
  readonly keyVariable?: string;
}

const untouched: ProviderEdit = {
  name: '',
  baseUrl: '',
  wire: null,
  organization: null,
  models: [],
  headers: {},
  timeouts: {},
  proxy: null,
  keyVariable: null,
};

export function providerListCommand({ providers }: ProvidersApp, terminal: Terminal): ExitCode {
  const read = providers.editable();
  if (!read.ok) return fail(terminal, read.error);
  const rows = read.value.map(({ id, edit, hasKey }) => ({ id, ...edit, hasKey }));
  print(terminal, rows, () =>
    rows.length === 0
      ? 'No providers. "patina provider add" adds one.'
      : rows
          .map(({ id, name, baseUrl, hasKey }) => `${id}  ${name}  ${baseUrl}${hasKey ? '  key' : ''}`)
          .join('\n'),
  );
  return 0;
}

export async function providerOffersCommand(
  { providers }: ProvidersApp,
  terminal: Terminal,
): Promise<ExitCode> {
  const offers = await providers.offers();
  print(terminal, offers, () =>
    offers
      .map(({ id, name, baseUrl, foundKeys, inUse }) => {
        const found = foundKeys.length > 0 ? `  key in ${foundKeys.join(', ')}` : '';
        return `${id}  ${name}  ${baseUrl}${found}${inUse ? '  in use' : ''}`;
      })
      .join('\n'),
  );
  return 0;
}

const textOr = (option: string | undefined, before: string | null): string | null =>
  option === undefined ? before : option.trim() || null;

function headersOf(
  lines: readonly string[] | undefined,
  before: ProviderEdit['headers'],
): Result<ProviderEdit['headers']> {
  if (lines === undefined) return ok(before);
  const headers: [string, string][] = [];
  for (const line of lines.filter((one) => one.trim() !== '')) {
    const at = line.indexOf(':');
    if (at < 1) {
      const problem = appError('HOST', 'INVALID_INPUT', `"${line}" is not a header.`, {
        hint: 'Write --header "Name: value".',
      });
      return err(problem);
    }
    headers.push([line.slice(0, at).trim(), line.slice(at + 1).trim()]);
  }
  return ok(Object.fromEntries(headers));
}

function timeoutsOf({ first, idle }: ProviderOptions, before: ProviderEdit['timeouts']) {
  const merged = { ...before, ...(first !== undefined && { first }), ...(idle !== undefined && { idle }) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

function wireOf(option: string | undefined, before: WireName | null): WireName | null {
  return option === undefined ? before : (WireName.safeParse(option).data ?? null);
}

/** The edit that the options make of `before`. */
function edited(before: ProviderEdit, options: ProviderOptions): Result<ProviderEdit> {
  const headers = headersOf(options.header, before.headers);
  if (!headers.ok) return headers;
  const parsed = ProviderEdit.safeParse({
    name: options.name ?? before.name,
    baseUrl: options.url ?? before.baseUrl,
    wire: wireOf(options.wire, before.wire),
    organization: textOr(options.organization, before.organization),
    models: options.model?.filter((name) => name.trim() !== '') ?? before.models,
    headers: headers.value,
    timeouts: timeoutsOf(options, before.timeouts),
    proxy: textOr(options.proxy, before.proxy),
    keyVariable: textOr(options.keyVariable, before.keyVariable),
  });
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  const field = issue?.path[0] as keyof ProviderEdit;
  const message = `${optionNames[field]}: ${issue?.message ?? ''}.`;
  const hint = hints[field];
  return err(appError('HOST', 'INVALID_INPUT', message, hint === undefined ? {} : { hint }));
}

const optionNames: Readonly<Record<keyof ProviderEdit, string>> = {
  name: '--name',
  baseUrl: '--url',
  wire: '--wire',
  organization: '--organization',
  models: '--model',
  headers: '--header',
  timeouts: '--first or --idle',
  proxy: '--proxy',
  keyVariable: '--key-variable',
};

const addressHint = 'Give an address that starts with https:// or http://.';

const hints: Partial<Readonly<Record<keyof ProviderEdit, string>>> = {
  name: 'Give a name, as in --name "My server", or the id of a known provider ("patina provider known").',
  baseUrl: addressHint,
  headers: 'Write --header "Name: value" on one line, in plain ASCII characters.',
  proxy: addressHint,
  keyVariable: 'Give the name of the variable that holds the key, such as MY_SERVER_KEY.',
};

function find(app: ProvidersApp, id: string): Result<EditableProvider> {
  const read = app.providers.editable();
  if (!read.ok) return read;
  const found = read.value.find((one) => one.id === id);
  return found ? ok(found) : err(unknown(id, 'list'));
}

const unknown = (id: string, list: string): AppError =>
  appError('HOST', 'NOT_FOUND', `There is no provider "${id}".`, {
    hint: `"patina provider ${list}" lists the ids.`,
  });

export async function providerAddCommand(
  app: ProvidersApp,
  terminal: Terminal,
  known: string | undefined,
  options: ProviderOptions,
): Promise<ExitCode> {
  const offer = (await app.providers.offers()).find(({ id }) => id === known);
  if (known !== undefined && offer === undefined) return fail(terminal, unknown(known, 'known'));
  const start = offer && {
    name: offer.name,
    baseUrl: offer.baseUrl,
    wire: offer.wire,
    keyVariable: offer.foundKeys[0] ?? null,
  };
  const edit = edited({ ...untouched, ...start }, options);
  if (!edit.ok) return fail(terminal, edit.error);
  const read = app.providers.editable();
  if (!read.ok) return fail(terminal, read.error);
  const id = providerId(
    edit.value.name,
    read.value.map((one) => one.id),
  );
  return done(terminal, app.providers.edit({ id, edit: edit.value }), id, 'Saved');
}

export function providerSetCommand(
  app: ProvidersApp,
  terminal: Terminal,
  id: string,
  options: ProviderOptions,
): ExitCode {
  const found = find(app, id);
  const edit = found.ok ? edited(found.value.edit, options) : found;
  if (!edit.ok) return fail(terminal, edit.error);
  return done(terminal, app.providers.edit({ id, edit: edit.value }), id, 'Saved');
}

/** Stores the key unencrypted, because a terminal has no keychain. */
export async function providerKeyCommand(
  app: ProvidersApp,
  terminal: Terminal,
  id: string,
): Promise<ExitCode> {
  const found = find(app, id);
  if (!found.ok) return fail(terminal, found.error);
  const key = await terminal.readLine('Key: ');
  if (key === null || key.trim() === '') {
    return fail(terminal, appError('HOST', 'INVALID_INPUT', 'No key was given; nothing changed.'));
  }
  const edit = { ...found.value.edit, keyVariable: null };
  return done(terminal, app.providers.edit({ id, edit, key, unprotected: true }), id, 'Saved the key of');
}

export function providerRemoveCommand(app: ProvidersApp, terminal: Terminal, id: string): ExitCode {
  return done(terminal, app.providers.remove(id), id, 'Removed');
}

function done(terminal: Terminal, result: Result<null>, id: string, what: string): ExitCode {
  if (!result.ok) return fail(terminal, result.error);
  print(terminal, { id }, () => `${what} "${id}".`);
  return 0;
}
