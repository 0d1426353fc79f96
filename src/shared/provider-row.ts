import { z } from 'zod';
import { withoutDirectionControls } from './direction-controls';
import { localProviderId } from './local-model';
import { HeaderName, HeaderValue, Organization, ProviderTimeouts, TypedModels, WireName } from './model';

/** Parts of a request that some servers or models do not support. */
export const OptionalPart = z.enum([
  'stream_options',
  'tools',
  'temperature',
  'reasoning_effort',
  'response_format',
  'thinking_summary',
  'encrypted_thinking',
  'adaptive_thinking',
  'thinking',
  'cache_control',
  /** By this name: the limit is sent as `max_completion_tokens`. */
  'max_tokens',
  /** As other servers gave them: the ids of calls are sent in the form that every server takes. */
  'call_ids',
]);
export type OptionalPart = z.infer<typeof OptionalPart>;

/** The name of an environment variable. */
export const VariableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/);

/**
 * Which ids of calls a server takes: any text, up to 40 or 64 characters, only letters, digits, `_` and `-`, or exactly
 * nine letters and digits.
 */
export const CallIdForm = z.enum(['any', 'up-to-40', 'up-to-64', 'word', 'nine']);
export type CallIdForm = z.infer<typeof CallIdForm>;

/** Where a server says what its models can do, when `GET /models` does not. */
export const ModelDetails = z.strictObject({
  /** How it is asked and what it answers: Gemini's list of models, or Ollama's description of one model. */
  form: z.enum(['gemini', 'ollama']),
  /** Relative to the base URL: it follows an edited address, and never leads to another host. */
  path: z.string().regex(/^(\.\.\/)*\w+(\/\w+)*$/),
});
export type ModelDetails = z.infer<typeof ModelDetails>;

/** A row of `seeds/providers.json`: what is known about a provider before the user sets it up. */
export const ProviderRow = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/),
  name: z.string().min(1),
  baseUrl: z.url({ protocol: /^https?$/ }),
  /** A word of the address that the user replaces, such as the name of a resource. */
  placeholder: z.string().min(1).optional(),
  /** Hosts besides that of the address; a `*` at the start stands for anything before the rest. */
  hosts: z.array(z.string().min(1)).default([]),
  wire: WireName,
  /** The page where the provider hands out keys; absent: it needs none. */
  keyPage: z.url({ protocol: /^https$/ }).optional(),
  /** The variables that the provider's own tools read a key from. */
  keyVariables: z.array(VariableName).default([]),
  /** The variable with the user's own address, where the hosts of a row belong to different owners. */
  addressVariable: VariableName.optional(),
  /** `listed`: `GET /models` names what can be called; `typed`: the user types the names. */
  models: z.enum(['listed', 'typed']),
  /** Removed from the start of each listed name. */
  listPrefix: z.string().min(1).optional(),
  details: ModelDetails.optional(),
  /** The form of the ids of calls in chat completions, by how the name of the model begins; the first match counts. */
  callIds: z.record(z.string(), CallIdForm).default({}),
  /** How the names of models begin whose requests name the parts to cache. */
  cacheMarks: z.array(z.string().min(1)).default([]),
  /** Parts that this provider refuses, so that they are not tried first. */
  omits: z.array(OptionalPart).default([]),
  /** A server on this computer that is looked for without being set up. */
  discovered: z.boolean().default(false),
});
export type ProviderRow = z.infer<typeof ProviderRow>;

export const ProviderRows = z.array(ProviderRow);

/** What the window shows of a row; `foundKeys` are names of variables that are set, never their values. */
export interface ProviderOffer {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly placeholder?: string | undefined;
  readonly wire: WireName;
  readonly keyPage?: string | undefined;
  readonly models: ProviderRow['models'];
  readonly foundKeys: readonly string[];
  /** A provider with this row's address is set up. */
  readonly inUse: boolean;
}

/** What the user can edit of a provider, complete: an omitted model or header is removed. */
export const ProviderEdit = z.strictObject({
  name: z.string().trim().overwrite(withoutDirectionControls).min(1).max(100),
  baseUrl: z.url({ protocol: /^https?$/ }),
  /** Null: detected from the address. */
  wire: WireName.nullable(),
  organization: Organization.nullable(),
  models: TypedModels,
  /** Null keeps the stored value of a header whose name suggests a secret. */
  headers: z.record(HeaderName, HeaderValue.nullable()),
  timeouts: ProviderTimeouts,
  proxy: z.url({ protocol: /^https?$/ }).nullable(),
  /** The environment variable that holds the key; null: the key is stored, or there is none. */
  keyVariable: VariableName.nullable(),
});
export type ProviderEdit = z.infer<typeof ProviderEdit>;

/** A provider of `providers.json` as the window edits it. */
export interface EditableProvider {
  readonly id: string;
  readonly edit: ProviderEdit;
  readonly hasKey: boolean;
  /** How the key is kept; null: there is none, or it was kept until Patina closed. */
  readonly keyPlace: 'keychain' | 'file' | 'memory' | 'variable' | null;
}

/** Headers in which people put keys, although the file says not to. */
export const isSecretHeader = (name: string): boolean => /auth|key|token|secret|cookie|password/i.test(name);

type Variables = Readonly<Record<string, string | undefined>>;

/** Whether a base URL belongs to a row's provider. */
export function isRowOf(row: Pick<ProviderRow, 'baseUrl' | 'hosts'>, baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { host } = new URL(baseUrl);
  const hosts = [new URL(row.baseUrl).host, ...row.hosts];
  return hosts.some((known) => (known.startsWith('*') ? host.endsWith(known.slice(1)) : host === known));
}

/**
 * The base URL that the keys in a row's variables belong to. Null: its hosts have different owners, and the environment
 * does not say which is the user's.
 */
export function keyAddress(
  row: Pick<ProviderRow, 'baseUrl' | 'hosts' | 'addressVariable'>,
  env: Variables,
): string | null {
  if (row.addressVariable === undefined) return row.baseUrl;
  const address = env[row.addressVariable]?.trim() ?? '';
  if (!isRowOf(row, address)) return null;
  const { protocol, pathname } = new URL(row.baseUrl);
  return `${protocol}//${new URL(address).host}${pathname}`;
}

/**
 * Whether a variable holds the key of a row's provider, and a base URL may receive it: only the user's own host where a
 * row has several owners, and only by its scheme, because over `http` a proxy reads the key.
 */
export function isKeyOf(
  row: Pick<ProviderRow, 'baseUrl' | 'hosts' | 'keyVariables' | 'addressVariable'>,
  variable: string,
  baseUrl: string,
  env: Variables,
): boolean {
  if (!row.keyVariables.includes(variable) || !isRowOf(row, baseUrl)) return false;
  const owned = keyAddress(row, env);
  if (owned === null) return false;
  const { protocol, host } = new URL(baseUrl);
  const own = new URL(owned);
  return protocol === own.protocol && (row.addressVariable === undefined || host === own.host);
}

/** A unique id for a provider name: `My Server` becomes `my-server`, then `my-server-2`. */
export function providerId(name: string, taken: readonly string[]): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const base = words === '' || reservedIds.has(words) ? 'provider' : words;
  if (!taken.includes(base)) return base;
  let number = 2;
  while (taken.includes(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}

/** Ids of Patina's own providers; the user's rows have others. */
export const reservedIds: ReadonlySet<string> = new Set([
  'offline',
  'environment',
  'environment-anthropic',
  localProviderId,
]);
