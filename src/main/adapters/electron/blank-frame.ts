/** Text is smoothed in many shades; a window whose text is missing has a handful. */
const fewestColours = 12;

/** Whether a picture (four bytes a pixel) holds hardly anything. No picture at all says nothing of the window. */
export function isBlankFrame(bitmap: Buffer): boolean {
  const seen = new Set<number>();
  for (let at = 0; at + 4 <= bitmap.length; at += 4) {
    seen.add(bitmap.readUInt32LE(at));
    if (seen.size >= fewestColours) return false;
  }
  return seen.size > 0;
}
