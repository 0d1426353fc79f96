import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { isSecretName } from '#shared/secret-shapes';
import type { HttpEntry, RegistryText } from './registry';
import { addressProblem } from './server-address';

/** What the references in a registry entry stand for. */
export interface References {
  /** Absolute project folder: working folder of every server, root of the bundled ones. */
  readonly project: string;
  /** The environment that `${NAME}` in a registry refers to. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The value stored under a `secrets_ref`. */
  readonly secret: (ref: string) => Result<string>;
}

/** Where a server is reached over HTTP, with everything filled in. */
export interface HttpAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it uses the older transport with two endpoints. */
  readonly older: boolean;
  /** What the user set for its sign-in. */
  readonly oauth?: {
    readonly clientId?: string | undefined;
    readonly clientSecret?: string | undefined;
    readonly clientMetadataUrl?: string | undefined;
    readonly scopes?: string | undefined;
    readonly redirectPort?: number | undefined;
  };
}

/** A context that collects the keys of its entry. */
export interface Filling extends References {
  readonly ownKey: (ref: string) => Result<string>;
  /** Every key of the entry that has been filled in so far. */
  readonly keys: string[];
}

/** A context that also collects the keys that it fills in. */
export function collectKeys<T extends References>(context: T): T & Filling {
  const keys: string[] = [];
  const ownKey: Filling['ownKey'] = (ref) => {
    const key = context.secret(ref);
    if (key.ok) keys.push(key.value);
    return key;
  };
  return { ...context, ownKey, keys };
}

/** The address of a server over HTTP. Errors: those of its references, and CONFIG/INVALID for a bad address. */
export const httpAddress = (entry: HttpEntry, context: References): Result<HttpAddress> =>
  fillAddress(entry, collectKeys(context));

/** The same; the keys are collected. */
export function fillAddress(entry: HttpEntry, context: Filling): Result<HttpAddress> {
  const headers = fillAll(entry.headers, context);
  const url = fill(entry.url, context);
  if (!headers.ok) return headers;
  if (!url.ok) return url;
  const problem = addressProblem(url.value);
  if (problem !== null) {
    return err(appError('CONFIG', 'INVALID', `The address of the server ${problem}.`));
  }
  noteKeys(Object.fromEntries(new URL(url.value).searchParams), context);
  const { clientSecret, ...oauth } = entry.oauth ?? {};
  const secret = clientSecret === undefined ? ok(undefined) : fill(clientSecret, context);
  if (!secret.ok) return secret;
  const address = { url: url.value, headers: headers.value, older: entry.type === 'sse' };
  return ok(entry.oauth ? { ...address, oauth: { ...oauth, clientSecret: secret.value } } : address);
}

export function fillAll(
  texts: Readonly<Record<string, RegistryText>>,
  context: Filling,
): Result<Record<string, string>> {
  const filled: Record<string, string> = {};
  for (const [name, text] of Object.entries(texts)) {
    const value = fill(text, context);
    if (!value.ok) return value;
    filled[name] = value.value;
  }
  noteKeys(filled, context);
  return ok(filled);
}

/** Collects values with a secret's name: whole, and each of their words (`Bearer …`, `name=value; …`). */
function noteKeys(values: Readonly<Record<string, string>>, { keys }: Filling): void {
  for (const [name, value] of Object.entries(values)) {
    if (isSecretName(name)) keys.push(value, ...value.split(/[\s;,=]+/).filter((word) => word !== ''));
  }
}

/**
 * `${NAME}`, `${NAME:-default}`, VS Code's `${env:NAME}` and `${workspaceFolder}`; inserted values are not
 * expanded again.
 */
const REFERENCE = /\$\{([^{}]+)\}/g;

export function fill(text: RegistryText, context: Filling): Result<string> {
  if (typeof text !== 'string') return context.ownKey(text.secrets_ref);
  const missing: string[] = [];
  const filled = text.replace(REFERENCE, (_whole, reference: string) => {
    const value = lookUp(reference, context);
    if (value === undefined) missing.push(reference);
    return value ?? '';
  });
  if (missing.length === 0) return ok(filled);
  return err(
    appError('CONFIG', 'MISSING', `The registry refers to \${${missing.join('}, ${')}}, which is not set.`),
  );
}

/** An input value that the user entered when importing the server; stored with the secrets. */
function inputValue(reference: string, context: References): string | undefined {
  const storedValue = context.secret(reference.slice('input:'.length));
  return storedValue.ok ? storedValue.value : undefined;
}

function lookUp(reference: string, context: References): string | undefined {
  if (reference === 'workspaceFolder') return context.project;
  if (reference.startsWith('input:')) return inputValue(reference, context);
  const [name = '', ...rest] = reference.replace(/^env:/, '').split(':-');
  return context.env[name] ?? (rest.length > 0 ? rest.join(':-') : undefined);
}
