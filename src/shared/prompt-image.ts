import { z } from 'zod';
import { SnapshotHash } from './workspace';

/** An image that goes to a model with the static context, as it is recorded: everything but its bytes, which the snapshot keeps. */
export const SentImage = z.object({
  /** The words that stand before it in the request. */
  label: z.string(),
  /** Where it lies in the workspace. */
  path: z.string(),
  mediaType: z.string(),
  bytes: z.number().int().nonnegative(),
  /** In pixels. */
  width: z.number().int().positive(),
  height: z.number().int().positive(),
  /** SHA-256 of its bytes, hex. */
  sha256: SnapshotHash,
});
export type SentImage = z.infer<typeof SentImage>;

const tile = 512;

/**
 * About how many tokens an image costs, by the rule OpenAI published for its models: fitted into 2048 pixels, its shorter
 * side made 768 at most, 85 and 170 for each tile of 512. Other providers count otherwise; the reply's usage is exact.
 */
export function imageTokens({ width, height }: Pick<SentImage, 'width' | 'height'>): number {
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const shrink = Math.min(1, 768 / (Math.min(width, height) * fit));
  const tiles = (side: number): number => Math.max(1, Math.ceil((side * fit * shrink) / tile));
  return 85 + 170 * tiles(width) * tiles(height);
}
