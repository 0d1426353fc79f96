import { z } from 'zod';
import { ArtifactHandle } from './execution';
import { isObject, type Json } from './json';

/**
 * Reference in a node's state to a value too large for its envelope: the artifact with the whole value, its
 * size, and its beginning.
 */
export const Spilled = z.strictObject({
  $artifact: ArtifactHandle,
  bytes: z.number().int().nonnegative(),
  head: z.string(),
});
export type Spilled = z.infer<typeof Spilled>;

/** The name of the artifact with a summary too long for its envelope, as JSON. */
export const spilledSummaryName = 'summary.json';

/** The reference to a spilled value, if the JSON value is one. */
export function spilledIn(value: Json): Spilled | null {
  if (!isObject(value) || !('$artifact' in value)) return null;
  const read = Spilled.safeParse(value);
  return read.success ? read.data : null;
}
