const starts = (bytes: Uint8Array, at: number, ...expected: readonly number[]): boolean =>
  expected.every((byte, index) => bytes[at + index] === byte);

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Width and height in pixels, from the header. */
type Size = readonly [width: number, height: number];
type ReadSize = (view: DataView) => Size | null;

const pngSize: ReadSize = (view) => [view.getUint32(16), view.getUint32(20)];
const gifSize: ReadSize = (view) => [view.getUint16(6, true), view.getUint16(8, true)];

/**
 * Whether a JPEG marker carries the image size; three of the markers from 0xC0 to 0xCF have other meanings.
 */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

const jpegSize: ReadSize = (view) => {
  let at = 2;
  while (at + 9 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    if (isFrame(marker)) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    const length = marker === 0xff ? -1 : view.getUint16(at + 2);
    if (length === 0) return null;
    at += 2 + length;
  }
  return null;
};

const uint24 = (view: DataView, at: number): number =>
  view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;

const webpSizes: Readonly<Record<string, ReadSize>> = {
  'VP8 ': (view) => [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff],
  VP8L: (view) => {
    const bits = view.getUint32(21, true);
    return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
  },
  VP8X: (view) => [uint24(view, 24) + 1, uint24(view, 27) + 1],
};

const webpSize: ReadSize = (view) => {
  const kind = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  return webpSizes[kind]?.(view) ?? null;
};

const types = [
  {
    mediaType: 'image/png' as const,
    names: /[.]png$/i,
    fits: (b: Uint8Array) => starts(b, 0, 0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10),
    size: pngSize,
  },
  {
    mediaType: 'image/jpeg' as const,
    names: /[.]jpe?g$/i,
    fits: (b: Uint8Array) => starts(b, 0, 0xff, 0xd8, 0xff),
    size: jpegSize,
  },
  {
    mediaType: 'image/gif' as const,
    names: /[.]gif$/i,
    fits: (b: Uint8Array) => starts(b, 0, 0x47, 0x49, 0x46, 0x38),
    size: gifSize,
  },
  {
    mediaType: 'image/webp' as const,
    names: /[.]webp$/i,
    fits: (b: Uint8Array) => starts(b, 0, 0x52, 0x49, 0x46, 0x46) && starts(b, 8, 0x57, 0x45, 0x42, 0x50),
    size: webpSize,
  },
];

/** Maximum pixels of an image: more than a model uses, and more than anyone should decode. */
const maxPixels = 40_000_000;

/** The type and size of an image, or the rule that it breaks. */
export type ImageCheck =
  | {
      readonly mediaType: (typeof types)[number]['mediaType'];
      readonly width: number;
      readonly height: number;
    }
  | { readonly rule: 'image' | 'image-size'; readonly reason: string };

const wrongType: ImageCheck = {
  rule: 'image',
  reason: 'Its content is not the type of image that its name says.',
};

function sizeIn(bytes: Uint8Array, size: ReadSize): Size | null {
  try {
    return size(viewOf(bytes));
  } catch {
    // The file is shorter than its header.
    return null;
  }
}

/**
 * Checks that a file has the image type its name claims and is not a decompression bomb. Reads only the
 * header.
 */
export function checkImage(path: string, bytes: Uint8Array): ImageCheck {
  const named = types.find(({ names }) => names.test(path));
  return named?.fits(bytes) ? checkAs(named, bytes) : wrongType;
}

/** The same for an image without a name; null when the content is of no known type. */
export function imageType(bytes: Uint8Array): ImageCheck | null {
  const found = types.find(({ fits }) => fits(bytes));
  return found ? checkAs(found, bytes) : null;
}

function checkAs({ mediaType, size: readSize }: (typeof types)[number], bytes: Uint8Array): ImageCheck {
  const size = sizeIn(bytes, readSize);
  if (!size) return wrongType;
  const [width, height] = size;
  if (width > 0 && height > 0 && width * height <= maxPixels) return { mediaType, width, height };
  const reason = `It claims to be ${width} × ${height} pixels; the limit is ${maxPixels / 1_000_000} million pixels.`;
  return { rule: 'image-size', reason };
}
