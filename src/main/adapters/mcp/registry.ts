import { z } from 'zod';
import { appError, type ConfigProblem } from '#shared/app-error';
import { repeatedKeys } from '#shared/json-scan';
import { err, ok, type Result } from '#shared/result';
import { withoutComments } from './without-comments';

/** A text in the registry, or the name of a secret whose value replaces it when the server starts. */
export const RegistryText = z.union([z.string(), z.strictObject({ secrets_ref: z.string().min(1) })]);
export type RegistryText = z.infer<typeof RegistryText>;

const common = {
  trusted: z.boolean().default(false),
  disabled: z.boolean().default(false),
  /** Milliseconds for which the result of a read-only tool may be reused; absent: every call is made. */
  readTtlMs: z.number().int().positive().max(86_400_000).optional(),
  /** Maximum milliseconds of a call without any progress from the server. */
  timeoutMs: z.number().int().min(1_000).max(86_400_000).optional(),
  /** Maximum milliseconds of a call in total, however often the server reports progress. */
  maxTimeoutMs: z.number().int().min(1_000).max(86_400_000).optional(),
  /** Milliseconds for the handshake, and for each list of the server's tools and resources. */
  startTimeoutMs: z.number().int().min(1_000).max(3_600_000).optional(),
};
const texts = z.record(z.string(), RegistryText).default({});

/** A bundled server; Patina locates its code, and its folder is the project folder. */
const BundledEntry = z.object({ bundled: z.enum(['project', 'filesystem']), ...common });
const StdioEntry = z.object({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: texts,
  /** Relative to the project folder, which is also the default. */
  cwd: z.string().min(1).optional(),
  ...common,
});
/**
 * Whether the text is an address, or can become one when its references are filled in; the final address is
 * checked again then.
 */
function couldBeAddress(url: string): boolean {
  const filled = url.replace(/\$\{[^{}]+\}/g, 'x');
  return url.startsWith('${') || z.url({ protocol: /^https?$/ }).safeParse(filled).success;
}

/** Set only where a server's authorisation server does not let clients register themselves. */
const OAuthEntry = z.strictObject({
  clientId: z.string().min(1).optional(),
  clientSecret: RegistryText.optional(),
  /** The https address of a client-id metadata document that names Patina's loopback address. */
  clientMetadataUrl: z.url({ protocol: /^https$/ }).optional(),
  /** Permissions to ask for instead of those that the server names, separated by spaces. */
  scopes: z.string().min(1).optional(),
  /** The port of the browser's return, where it must be registered in advance. */
  redirectPort: z.number().int().min(1).max(65_535).optional(),
});

const HttpEntry = z.object({
  url: z.string().refine(couldBeAddress, 'Not an address: it must begin with http:// or https://.'),
  headers: texts,
  /** `sse` is the older transport of two endpoints; anything else is streamable HTTP. */
  type: z.string().optional(),
  oauth: OAuthEntry.optional(),
  ...common,
});

export type BundledEntry = z.infer<typeof BundledEntry>;
export type StdioEntry = z.infer<typeof StdioEntry>;
export type HttpEntry = z.infer<typeof HttpEntry>;
export type ServerEntry =
  | ({ readonly kind: 'bundled' } & BundledEntry)
  | ({ readonly kind: 'stdio' } & StdioEntry)
  | ({ readonly kind: 'http' } & HttpEntry);

/** Enabled servers by their name in `mcp://name.tool`. */
export type Registry = ReadonlyMap<string, ServerEntry>;

const Servers = z.record(z.string(), z.unknown());
const underMcp = z.object({ mcp: z.object({ servers: Servers }) });
/**
 * Patina, Claude Desktop and `.mcp.json` use `mcpServers`; VS Code uses `servers`, in its settings below
 * `mcp`. Other keys are ignored.
 */
const RegistryFile = z.union([
  z.object({ mcpServers: Servers }).transform((file) => ({ key: 'mcpServers', servers: file.mcpServers })),
  z.object({ servers: Servers }).transform((file) => ({ key: 'servers', servers: file.servers })),
  underMcp.transform((file) => ({ key: 'mcp.servers', servers: file.mcp.servers })),
]);

/** The usable entries of a registry file, and the problems of the rest. */
export interface RegistryReading {
  readonly registry: Registry;
  /** Servers that the file itself disables, by their names there. */
  readonly disabled: readonly string[];
  readonly problems: readonly ConfigProblem[];
  /** Fields of usable servers that have no effect here. */
  readonly unused: readonly ConfigProblem[];
  /** The file as written. */
  readonly file: unknown;
}

const there = { rule: 'unique', reason: 'is a duplicate: remove one' };

/**
 * Paths of duplicate names within the servers of a file; an empty path: the servers key itself is duplicated.
 */
function repeatedIn(text: string, key: string): readonly (readonly string[])[] {
  const above = key.split('.');
  return [...repeatedKeys(jsonOf(text))].flatMap((path) => {
    if (above.length > path.length) return [];
    return above.every((name, at) => path[at] === name) ? [path.slice(above.length)] : [];
  });
}

/** The problem of an entry with a duplicate key: Patina does not guess which value is meant. */
function repeats(
  paths: readonly (readonly string[])[],
  file: string,
  key: string,
): Result<ServerEntry, ConfigProblem[]> {
  const fields = new Set(paths.map((path) => [key, ...path].join('.')));
  return err([...fields].map((field) => ({ file, field, ...there })));
}

const schemas = { bundled: BundledEntry, stdio: StdioEntry, http: HttpEntry };

/** Every field that an entry may have; the documentation names each. */
export const registryFields: readonly string[] = [
  ...new Set(Object.values(schemas).flatMap(({ shape }) => Object.keys(shape))),
];

/**
 * Reports ignored fields, so that a setting without effect does not appear to work. `type` only repeats what
 * an entry is.
 */
function unusedIn(entry: unknown, { kind }: ServerEntry, file: string, field: string): ConfigProblem[] {
  const known = new Set([...Object.keys(schemas[kind].shape), 'type']);
  const names = Object.keys(entry as object).filter((name) => !known.has(name));
  return names.map((name) => ({
    file,
    field: `${field}.${name}`,
    rule: 'unused',
    reason: 'has no effect here',
  }));
}

/** Reads the usable part of a registry file; CONFIG/INVALID only when it has no servers at all. */
export function readServers(text: string, file: string): Result<RegistryReading> {
  const value = parseJson(text);
  if (!value.ok) return invalid(file, [{ file, field: '', rule: 'json', reason: value.error }]);
  const parsed = RegistryFile.safeParse(value.value);
  if (!parsed.success) {
    const reason = 'has neither "mcpServers" nor "servers" with an object of servers';
    return invalid(file, [{ file, field: 'mcpServers', rule: 'required', reason }]);
  }
  const { key, servers } = parsed.data;
  const repeated = repeatedIn(text, key);
  const registry = new Map<string, ServerEntry>();
  const disabled: string[] = [];
  const unused: ConfigProblem[] = [];
  const problems: ConfigProblem[] = repeated
    .filter(([first]) => first === undefined)
    .map(() => ({ file, field: key, ...there }));
  for (const [written, entry] of Object.entries(servers)) {
    const field = `${key}.${written}`;
    const name = serverName(written);
    const twice = repeated.filter(([first]) => first === written);
    const read = twice.length > 0 ? repeats(twice, file, key) : readEntry(entry, file, field);
    if (name === '')
      problems.push({ file, field, rule: 'name', reason: 'a server needs a name of letters or digits' });
    else if (registry.has(name))
      problems.push({ file, field, rule: 'unique', reason: `"${name}" appears twice` });
    else if (!read.ok) problems.push(...read.error);
    else if (read.value.disabled) disabled.push(written);
    else {
      registry.set(name, read.value);
      unused.push(...unusedIn(entry, read.value, file, field));
    }
  }
  return ok({ registry, disabled, problems, unused, file: value.value });
}

/** Parses the text of a registry file; reports every problem with its field at once (CONFIG/INVALID). */
export function parseRegistry(text: string, file: string): Result<Registry> {
  const read = readServers(text, file);
  if (!read.ok) return read;
  const { registry, problems } = read.value;
  return problems.length === 0 ? ok(registry) : invalid(file, problems);
}

/** Converts names from other programs' files to `[a-z0-9_-]+`: "GitHub Tools" becomes "github-tools". */
export function serverName(written: string): string {
  return written
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '');
}

const jsonOf = (text: string): string => withoutComments(text.replace(/^\uFEFF/, ''));

function parseJson(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(jsonOf(text)));
  } catch (error) {
    return err(`is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Without the values of that file, a server would fail or act under a different identity. */
const envFile = {
  rule: 'unsupported',
  reason:
    'names a file of variables, which Patina does not read: put the variables under "env", keys as secrets',
};

function readEntry(entry: unknown, file: string, field: string): Result<ServerEntry, ConfigProblem[]> {
  const has = (key: string): boolean => typeof entry === 'object' && entry !== null && key in entry;
  if (has('envFile')) return err([{ file, field: `${field}.envFile`, ...envFile }]);
  if (has('bundled')) return read(BundledEntry, 'bundled', entry, { file, field });
  if (has('command')) return read(StdioEntry, 'stdio', entry, { file, field });
  if (has('url')) return read(HttpEntry, 'http', entry, { file, field });
  return err([{ file, field, rule: 'required', reason: 'needs "command", "url" or "bundled"' }]);
}

function read<Kind extends ServerEntry['kind'], Entry extends object>(
  schema: z.ZodType<Entry>,
  kind: Kind,
  entry: unknown,
  spot: { readonly file: string; readonly field: string },
): Result<ServerEntry, ConfigProblem[]> {
  const parsed = schema.safeParse(entry);
  if (parsed.success) return withinLimits({ kind, ...parsed.data } as unknown as ServerEntry, spot);
  return err(
    parsed.error.issues.map((issue) => ({
      file: spot.file,
      field: [spot.field, ...issue.path.map(String)].join('.'),
      rule: issue.code,
      reason: issue.message,
    })),
  );
}

/** A call that reports progress never gets less time than a silent one. */
function withinLimits(
  entry: ServerEntry,
  { file, field }: { readonly file: string; readonly field: string },
): Result<ServerEntry, ConfigProblem[]> {
  const { timeoutMs, maxTimeoutMs } = entry;
  if (maxTimeoutMs === undefined || maxTimeoutMs >= callLimits(entry).callMs) return ok(entry);
  const limit =
    timeoutMs === undefined ? `the usual ${callLimits(entry).callMs}` : `"timeoutMs" (${timeoutMs})`;
  return err([{ file, field: `${field}.maxTimeoutMs`, rule: 'too_small', reason: `is less than ${limit}` }]);
}

/** A server's time limits, in milliseconds. */
export interface ServerLimits {
  /** For the handshake, and for each list request. */
  readonly startMs: number;
  /** For a call without any progress from the server. */
  readonly callMs: number;
  /** For a call in total, however often it reports progress. */
  readonly totalMs: number;
}

const USUAL_START_MS = 30_000;
const USUAL_CALL_MS = 300_000;
/** Multiplies the usual time of a tool that reports progress. */
const PROGRESS_FACTOR = 6;

/** The fields of an entry that set time limits. */
export interface LimitFields {
  readonly timeoutMs?: number | undefined;
  readonly maxTimeoutMs?: number | undefined;
  readonly startTimeoutMs?: number | undefined;
}

/** The limits of a server: those of its entry, else the defaults. */
export function callLimits({
  timeoutMs: callMs = USUAL_CALL_MS,
  maxTimeoutMs: totalMs = callMs * PROGRESS_FACTOR,
  startTimeoutMs: startMs = USUAL_START_MS,
}: LimitFields): ServerLimits {
  return { startMs, callMs, totalMs };
}

function invalid(file: string, problems: readonly ConfigProblem[]): Result<never> {
  const [first] = problems;
  const where = first === undefined || first.field === '' ? file : `${file}: ${first.field}`;
  const message = `${where}: ${first?.reason ?? 'invalid'}.`;
  return err(appError('CONFIG', 'INVALID', message, { problems: [...problems] }));
}
