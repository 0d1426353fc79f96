import { z } from 'zod';
import { SnapshotHash } from './workspace';

/**
 * The record of an image sent with the static context: everything but its bytes, which the snapshot contains.
 */
export const SentImage = z.object({
  /** The text before the image in the request. */
  label: z.string(),
  /** Path in the workspace. */
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
 * Estimates the tokens of an image by OpenAI's published rule: fit into 2048 pixels, reduce the shorter side
 * to at most 768, then count 85 plus 170 per 512-pixel tile. Other providers count differently; the usage in
 * the reply is exact.
 */
export function imageTokens({ width, height }: Pick<SentImage, 'width' | 'height'>): number {
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const shrink = Math.min(1, 768 / (Math.min(width, height) * fit));
  const tiles = (side: number): number => Math.max(1, Math.ceil((side * fit * shrink) / tile));
  return 85 + 170 * tiles(width) * tiles(height);
}
