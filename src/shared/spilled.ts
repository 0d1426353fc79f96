import { z } from 'zod';
import { ArtifactHandle } from './execution';
import { isObject, type Json } from './json';

/** What stands in a node's state for a value too large for its envelope: where the whole of it is, its size, how it begins. */
export const Spilled = z.strictObject({
  $artifact: ArtifactHandle,
  bytes: z.number().int().nonnegative(),
  head: z.string(),
});
export type Spilled = z.infer<typeof Spilled>;

/** The spilled value a JSON value stands for, if it is one. */
export function spilledIn(value: Json): Spilled | null {
  if (!isObject(value) || !('$artifact' in value)) return null;
  const read = Spilled.safeParse(value);
  return read.success ? read.data : null;
}
