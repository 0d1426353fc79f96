import { appError, type AppError } from '#shared/app-error';
import type { Provider } from '#shared/model';
import {
  isKeyOf,
  isSecretHeader,
  type EditableProvider,
  type ProviderEdit,
  type ProviderRow,
} from '#shared/provider-row';
import { err, ok, type Result } from '#shared/result';
import type { Secrets } from '../../../core/ports/secrets';
import { readAddress, sameOrigin } from './address';
import type { ProviderFile } from './provider-file';

export interface ProviderStoreDeps {
  readonly file: ProviderFile;
  readonly secrets: Secrets;
  readonly rows?: readonly ProviderRow[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface ProviderToSave {
  /**
   * Without a `model`, the stored one stays. Its `secrets_ref` is ignored: a provider configured in the
   * window cannot refer to the key of another.
   */
  readonly provider: Provider;
  /** Absent: the stored key stays, as long as the provider's origin is unchanged. Empty: removes the key. */
  readonly key?: string | undefined;
  readonly unprotected?: boolean | undefined;
}

export interface ProviderToEdit {
  /** A new id adds a provider. */
  readonly id: string;
  readonly edit: ProviderEdit;
  /** As in `ProviderToSave`. */
  readonly key?: string | undefined;
  readonly unprotected?: boolean | undefined;
}

/** Saves and removes providers together with their keys. */
export type ProviderStore = ReturnType<typeof createProviderStore>;

export function createProviderStore({ file, secrets, rows = [], env = {} }: ProviderStoreDeps) {
  const find = (id: string): Result<Provider | undefined> => {
    const read = file.read();
    return read.ok ? ok(read.value.find((provider) => provider.id === id)) : read;
  };
  const write = (
    before: Provider | undefined,
    saved: Provider,
    { key, unprotected = false }: Pick<ProviderToSave, 'key' | 'unprotected'>,
  ): Result<null> => {
    if (key !== undefined && key.trim() !== '') {
      // Store the key first: an entry must never name a missing key.
      const stored = secrets.set(ownRef(saved.id), key.trim(), { unprotected });
      if (!stored.ok) return stored;
    }
    const written = file.save(saved);
    return written.ok && dropsKey(before, saved) ? secrets.remove(ownRef(saved.id)) : written;
  };
  return {
    /** Errors: CONFIG/INVALID (an invalid `providers.json`, an unusable address or id), HOST/STORAGE. */
    save({ provider, ...options }: ProviderToSave): Result<null> {
      const before = find(provider.id);
      if (!before.ok) return before;
      const address = readAddress(provider.baseUrl);
      if (!address.ok) return address;
      const saved = entryOf({ ...provider, baseUrl: address.value.baseUrl }, before.value, options.key);
      return write(before.value, saved, options);
    },
    /** The providers of the file, without their keys and without values of headers that may be secret. */
    editable(): Result<readonly EditableProvider[]> {
      const read = file.read();
      return read.ok ? ok(read.value.map((provider) => editableOf(provider, secrets))) : read;
    },
    /** Replaces everything that a user can edit of a provider. Errors: as `save`. */
    edit({ id, edit, ...options }: ProviderToEdit): Result<null> {
      const before = find(id);
      if (!before.ok) return before;
      const address = readAddress(edit.baseUrl);
      if (!address.ok) return address;
      const { baseUrl } = address.value;
      const refused = placeholderLeft(baseUrl, rows) ?? foreignVariable(edit, before.value, { rows, env });
      if (refused !== null) return err(refused);
      return write(
        before.value,
        editedEntry({ id, edit: { ...edit, baseUrl } }, before.value, options.key),
        options,
      );
    },
    remove(id: string): Result<null> {
      const before = find(id);
      if (!before.ok) return before;
      if (before.value === undefined)
        return err(appError('HOST', 'NOT_FOUND', `There is no provider "${id}".`));
      const removed = file.remove(id);
      if (!removed.ok || before.value.secrets_ref !== ownRef(id)) return removed;
      return secrets.remove(ownRef(id));
    },
  };
}

/** The storage name of the key of a provider configured in the window. */
const ownRef = (id: string): string => `provider.${id}`;

/** The entry to write: what the input omits stays as it was, and the storage name of its key. */
function entryOf(provider: Provider, before: Provider | undefined, key: string | undefined): Provider {
  const ref = secretRef(provider, before, key);
  const moved = before !== undefined && !sameOrigin(before.baseUrl, provider.baseUrl);
  const { secrets_ref: _stored, key_variable: variable, ...rest } = before ?? provider;
  const { secrets_ref: _given, key_variable: _named, ...entry } = provider;
  return {
    ...rest,
    // Headers may hold a key: they stay behind when the origin changes.
    ...(moved && { headers: {} }),
    ...entry,
    ...(ref !== undefined && { secrets_ref: ref }),
    ...(variable !== undefined &&
      before !== undefined &&
      !moved &&
      key === undefined && { key_variable: variable }),
  };
}

/** The entry with everything that the user can edit replaced; its model and prices stay. */
function editedEntry(
  { id, edit }: Pick<ProviderToEdit, 'id' | 'edit'>,
  before: Provider | undefined,
  key: string | undefined,
): Provider {
  const { name, baseUrl, wire, organization, models, timeouts, proxy, keyVariable } = edit;
  const headers = headersToStore(edit, before);
  return {
    id,
    name,
    baseUrl,
    ...ifSet('model', before?.model),
    ...ifSet('prices', before?.prices),
    ...ifSet('wire', wire),
    ...ifSet('organization', organization),
    ...ifSet('models', models.length > 0 ? [...new Set(models)] : null),
    ...ifSet('headers', Object.keys(headers).length > 0 ? headers : null),
    ...ifSet('timeouts', Object.keys(timeouts).length > 0 ? timeouts : null),
    ...ifSet('proxy', proxy),
    ...ifSet('key_variable', keyVariable),
    ...ifSet('secrets_ref', keyVariable === null ? secretRef({ id, baseUrl }, before, key) : null),
  };
}

/** A member of the entry, when it has a value. */
const ifSet = <Name extends keyof Provider>(name: Name, value: Provider[Name] | null): Partial<Provider> =>
  value === undefined || value === null ? {} : { [name]: value };

/** The headers to store: a hidden value stays what it was, but only at its origin. */
function headersToStore(
  { headers, baseUrl }: ProviderEdit,
  before: Provider | undefined,
): NonNullable<Provider['headers']> {
  const stored = before !== undefined && sameOrigin(before.baseUrl, baseUrl) ? before.headers : undefined;
  const entries = Object.entries(headers).flatMap(([header, shown]) => {
    const value = shown ?? stored?.[header];
    return value === undefined ? [] : [[header, value] as const];
  });
  return Object.fromEntries(entries);
}

function keyPlaceOf(
  { key_variable: variable, secrets_ref: ref }: Provider,
  secrets: Pick<Secrets, 'place'>,
): EditableProvider['keyPlace'] {
  if (variable !== undefined) return 'variable';
  return ref === undefined ? null : secrets.place(ref);
}

function editableOf(provider: Provider, secrets: Pick<Secrets, 'place'>): EditableProvider {
  const { id, name, baseUrl, wire, organization, models, headers, timeouts, proxy } = provider;
  const shown = Object.entries(headers ?? {}).map(
    ([header, value]) => [header, isSecretHeader(header) ? null : value] as const,
  );
  return {
    id,
    hasKey: provider.secrets_ref !== undefined || provider.key_variable !== undefined,
    keyPlace: keyPlaceOf(provider, secrets),
    edit: {
      name,
      baseUrl,
      wire: wire ?? null,
      organization: organization ?? null,
      models: models ?? [],
      headers: Object.fromEntries(shown),
      timeouts: timeouts ?? {},
      proxy: proxy ?? null,
      keyVariable: provider.key_variable ?? null,
    },
  };
}

function placeholderLeft(baseUrl: string, rows: readonly ProviderRow[]): AppError | null {
  const left = rows.find(
    ({ placeholder }) =>
      placeholder !== undefined && baseUrl.toLowerCase().includes(placeholder.toLowerCase()),
  );
  if (left === undefined) return null;
  return appError('CONFIG', 'INVALID', `The address still contains ${left.placeholder}.`, {
    hint: `Replace ${left.placeholder} by the name of yours, as ${left.name} shows it.`,
  });
}

/** The variable of one provider's key must never be sent to another. */
function foreignVariable(
  { keyVariable, baseUrl }: ProviderEdit,
  before: Provider | undefined,
  { rows, env }: Required<Pick<ProviderStoreDeps, 'rows' | 'env'>>,
): AppError | null {
  if (keyVariable === null) return null;
  const known = rows.some((row) => isKeyOf(row, keyVariable, baseUrl, env));
  const stays = before?.key_variable === keyVariable && sameOrigin(before.baseUrl, baseUrl);
  if (known || stays) return null;
  const named = rows.find(({ keyVariables }) => keyVariables.includes(keyVariable))?.addressVariable;
  const first =
    named === undefined ? 'Enter the key' : `Set ${named} to this address and restart Patina, enter the key`;
  return appError('CONFIG', 'INVALID', `${keyVariable} is not a key for this address.`, {
    hint: `${first}, or name the variable as "key_variable" in providers.json yourself.`,
  });
}

/** Whether the previous entry named its own key and the saved one does not. */
function dropsKey(before: Provider | undefined, saved: Provider): boolean {
  return before?.secrets_ref === ownRef(saved.id) && saved.secrets_ref === undefined;
}

/** A key belongs to the origin it was entered for: at another origin the user must enter it again. */
function secretRef(
  provider: Pick<Provider, 'id' | 'baseUrl'>,
  before: Provider | undefined,
  key: string | undefined,
): string | undefined {
  if (key !== undefined) return key.trim() === '' ? undefined : ownRef(provider.id);
  return before !== undefined && sameOrigin(before.baseUrl, provider.baseUrl)
    ? before.secrets_ref
    : undefined;
}
