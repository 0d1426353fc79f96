import { z } from 'zod';
import { isObject, Json } from './json';

/** What an argument has to be: exactly a value, or a text with this beginning. */
export const ArgumentRule = z.union([
  z.strictObject({ is: Json }),
  z.strictObject({ beginsWith: z.string().min(1).max(1_000) }),
]);
export type ArgumentRule = z.infer<typeof ArgumentRule>;

/** How far a standing answer reaches; `always` is bound to the project folder it was given in. */
export const GrantScope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('run'), runId: z.string() }),
  z.object({ kind: z.literal('session'), sessionId: z.string() }),
  z.object({ kind: z.literal('always'), project: z.string() }),
]);
export type GrantScope = z.infer<typeof GrantScope>;

/** A standing answer of the user about one tool: a yes to some of its calls, or a no to all of them. */
export const Grant = z.object({
  id: z.string(),
  decision: z.enum(['allow', 'never']),
  /** `mcp://server.tool` */
  tool: z.string(),
  /** Arguments that are bound; any other argument may be anything. A no binds none. */
  where: z.record(z.string(), ArgumentRule),
  reach: GrantScope,
  /** The definition of the tool the user knew, by its hash; a yes holds for no other. */
  definition: z.string().optional(),
  /** Milliseconds since the epoch. */
  at: z.number(),
});
export type Grant = z.infer<typeof Grant>;

/** A standing answer the user gives with a card. */
export const GrantRequest = z.object({
  reach: z.enum(['run', 'session', 'always']),
  decision: z.enum(['allow', 'never']),
  /** Arguments to bind: `same` as on the card, or a beginning. */
  where: z.record(z.string(), z.union([z.literal('same'), ArgumentRule.options[1]])).default({}),
});
export type GrantRequest = z.infer<typeof GrantRequest>;

/** What a wish binds of a call's arguments; a no binds nothing. Pure: the card shows what the grant will hold. */
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
