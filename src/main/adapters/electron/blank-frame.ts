/** Anti-aliased text has many shades; a window whose text is missing has only a handful of colours. */
const fewestColours = 12;

/** Whether a bitmap (four bytes per pixel) is almost empty. An empty bitmap is inconclusive. */
export function isBlankFrame(bitmap: Buffer): boolean {
  const seen = new Set<number>();
  for (let at = 0; at + 4 <= bitmap.length; at += 4) {
    seen.add(bitmap.readUInt32LE(at));
    if (seen.size >= fewestColours) return false;
  }
  return seen.size > 0;
}
