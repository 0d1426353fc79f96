import { z } from 'zod';
import { isObject, Json } from './json';

/** A rule for an argument: an exact value, or a text prefix. */
export const ArgumentRule = z.union([
  z.strictObject({ is: Json }),
  z.strictObject({ beginsWith: z.string().min(1).max(1_000) }),
]);
export type ArgumentRule = z.infer<typeof ArgumentRule>;

/** The scope of a saved permission; `always` applies to the project folder where it was saved. */
export const GrantScope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('run'), runId: z.string() }),
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
  /** Arguments to bind: `same` as on the card, or a prefix. */
  where: z.record(z.string(), z.union([z.literal('same'), ArgumentRule.options[1]])).default({}),
});
export type GrantRequest = z.infer<typeof GrantRequest>;

/** The arguments of a call that a request binds; `never` binds none. Pure: the card shows exactly what the grant will bind. */
export function boundArguments({ decision, where }: GrantRequest, args: Json): Grant['where'] {
  if (decision === 'never') return {};
  const bound: Record<string, ArgumentRule> = {};
  for (const [name, rule] of Object.entries(where)) {
    const value = isObject(args) && Object.hasOwn(args, name) ? args[name] : undefined;
    if (rule !== 'same') bound[name] = rule;
    else if (value !== undefined) bound[name] = { is: value };
  }
  return bound;
}
