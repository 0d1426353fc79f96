import { nativeImage } from 'electron';

/** The longest side that models see in full. */
const maxSide = 2_000;
/** Above this size a photograph is stored as a JPEG. */
const maxPngBytes = 3_000_000;
const jpegQuality = 85;

/** Reduces a PNG or JPEG image to the sides that models see; null for another type. */
export function resizeImage(bytes: Uint8Array): Uint8Array | null {
  const image = nativeImage.createFromBuffer(Buffer.from(bytes));
  if (image.isEmpty()) return null;
  const { width, height } = image.getSize();
  const share = Math.min(1, maxSide / Math.max(width, height));
  const size = {
    width: Math.max(1, Math.round(width * share)),
    height: Math.max(1, Math.round(height * share)),
  };
  const reduced = share < 1 ? image.resize({ ...size, quality: 'best' }) : image;
  const png = reduced.toPNG();
  return png.length <= maxPngBytes ? png : reduced.toJPEG(jpegQuality);
}
