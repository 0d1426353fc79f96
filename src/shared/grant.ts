import { z } from 'zod';
import type { FileChange } from './file-change';
import { isObject, Json } from './json';

const beginsWith = z.strictObject({ beginsWith: z.string().min(1).max(1_000) });
/** A folder relative to the project (`.`: all of it), after links were followed. */
const within = z.strictObject({ within: z.string().min(1).max(1_000) });
/** Host and port of an `http` or `https` address. */
const host = z.strictObject({ host: z.string().min(1).max(300) });

/** A rule for an argument: an exact value, a text prefix, a folder of the project, or the host of an address. */
export const ArgumentRule = z.union([z.strictObject({ is: Json }), beginsWith, within, host]);
export type ArgumentRule = z.infer<typeof ArgumentRule>;

/** The scope of a saved permission; `always` applies to the project folder where it was saved. */
export const GrantScope = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('run'),
    runId: z.string(),
    /** The stage in which the user gave it; absent in those saved before, which last as long as the run. */
    stage: z.number().int().positive().optional(),
  }),
  z.object({ kind: z.literal('session'), sessionId: z.string() }),
  z.object({ kind: z.literal('always'), project: z.string() }),
]);
export type GrantScope = z.infer<typeof GrantScope>;

/** A saved permission for one tool: it allows some of its calls or refuses all of them. */
export const Grant = z.object({
  id: z.string(),
  decision: z.enum(['allow', 'never']),
  /** `mcp://server.tool` */
  tool: z.string(),
  /** Bound arguments; all others may have any value. A denial binds none. */
  where: z.record(z.string(), ArgumentRule),
  reach: GrantScope,
  /** The hash of the tool definition that the user allowed; the permission applies to no other definition. */
  definition: z.string().optional(),
  /** Milliseconds since the epoch. */
  at: z.number(),
});
export type Grant = z.infer<typeof Grant>;

/** A permission that the user saves while answering an approval card. */
export const GrantRequest = z.object({
  reach: z.enum(['run', 'session', 'always']),
  decision: z.enum(['allow', 'never']),
  /** Arguments to bind: `same` as on the card, or a rule. */
  where: z.record(z.string(), z.union([z.literal('same'), beginsWith, within, host])).default({}),
});
export type GrantRequest = z.infer<typeof GrantRequest>;

/**
 * The arguments of a call that a request binds; `never` binds none. Null: the request binds none of those the call
 * has, so no permission covers the call: it would cover any arguments. Pure: the card shows exactly what the grant
 * will bind.
 */
export function boundArguments({ decision, where }: GrantRequest, args: Json): Grant['where'] | null {
  const rules = Object.entries(where);
  if (decision === 'never' || rules.length === 0) return {};
  const bound: Record<string, ArgumentRule> = {};
  for (const [name, rule] of rules) {
    const value = isObject(args) && Object.hasOwn(args, name) ? args[name] : undefined;
    if (rule === 'same') {
      if (value !== undefined) bound[name] = { is: value };
    }
    // A card names the folder for the path arguments of all its calls.
    else if (value !== undefined || !('within' in rule)) bound[name] = rule;
  }
  return Object.keys(bound).length > 0 ? bound : null;
}

/** A call on a card, as far as the choice of a permission needs it. */
interface ShownCall {
  readonly tool: string;
  readonly arguments: Json;
  readonly file?: FileChange | undefined;
}

/** What a saved permission may cover, from narrow to wide. */
export const CoverageKind = z.enum(['same', 'folder', 'host', 'any']);
export type CoverageKind = z.infer<typeof CoverageKind>;

export interface Coverage {
  readonly kind: CoverageKind;
  readonly where: GrantRequest['where'];
}

/** The host of an address; null for anything that another program might read differently. */
export function hostOf(value: Json): string | null {
  if (typeof value !== 'string' || !/^https?:\/\/[^\s\\@]+$/i.test(value) || !URL.canParse(value))
    return null;
  return new URL(value).host;
}

const argumentsOf = ({ arguments: args }: ShownCall) => (isObject(args) ? args : {});

/** The arguments of file tools that name one path each. */
export const pathArguments: readonly string[] = ['path', 'source', 'destination'];

/** The folder that contains all paths; `.` is the project. */
function commonFolder(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => path.split('/').slice(0, -1));
  const end = first.findIndex((part, at) => others.some((other) => other[at] !== part));
  return (end < 0 ? first : first.slice(0, end)).join('/') || '.';
}

function folderCoverage(calls: readonly ShownCall[]): readonly Coverage[] {
  const files = calls.flatMap(({ file }) => (file ? [file] : []));
  if (files.length < calls.length || files.some(({ kind }) => kind === 'unknown')) return [];
  const paths = files.flatMap((file) => (file.kind === 'moved' ? [file.path, file.to] : [file.path]));
  const rule = { within: commonFolder(paths) };
  const names = new Set(calls.flatMap((call) => Object.keys(argumentsOf(call))));
  const bound = pathArguments.filter((name) => names.has(name));
  return [{ kind: 'folder', where: Object.fromEntries(bound.map((name) => [name, rule])) }];
}

function hostCoverage(calls: readonly ShownCall[]): readonly Coverage[] {
  const found = calls.map((call) =>
    Object.entries(argumentsOf(call)).flatMap(([name, value]) => {
      const known = hostOf(value);
      return known === null ? [] : [{ name, host: known }];
    }),
  );
  const [first] = found.flat();
  const same = found.every(
    (one) => one.length === 1 && one[0]?.name === first?.name && one[0]?.host === first?.host,
  );
  return first && same ? [{ kind: 'host', where: { [first.name]: { host: first.host } } }] : [];
}

/** The permissions that a card offers for its calls, from narrow to wide. Pure. */
export function coveragesOf(calls: readonly ShownCall[]): readonly Coverage[] {
  const names = [...new Set(calls.flatMap((call) => Object.keys(argumentsOf(call))))];
  const same: Coverage = { kind: 'same', where: Object.fromEntries(names.map((name) => [name, 'same'])) };
  return [
    ...(names.length > 0 ? [same] : []),
    ...folderCoverage(calls),
    ...hostCoverage(calls),
    { kind: 'any', where: {} },
  ];
}
