const starts = (bytes: Uint8Array, at: number, ...expected: readonly number[]): boolean =>
  expected.every((byte, index) => bytes[at + index] === byte);

const types = [
  {
    mediaType: 'image/png',
    names: /[.]png$/i,
    fits: (b: Uint8Array) => starts(b, 0, 0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10),
  },
  { mediaType: 'image/jpeg', names: /[.]jpe?g$/i, fits: (b: Uint8Array) => starts(b, 0, 0xff, 0xd8, 0xff) },
  {
    mediaType: 'image/gif',
    names: /[.]gif$/i,
    fits: (b: Uint8Array) => starts(b, 0, 0x47, 0x49, 0x46, 0x38),
  },
  {
    mediaType: 'image/webp',
    names: /[.]webp$/i,
    fits: (b: Uint8Array) => starts(b, 0, 0x52, 0x49, 0x46, 0x46) && starts(b, 8, 0x57, 0x45, 0x42, 0x50),
  },
];

/** The media type of an image whose first bytes are what its name says; null when they are not. */
export function imageType(path: string, bytes: Uint8Array): string | null {
  const named = types.find(({ names }) => names.test(path));
  return named?.fits(bytes) ? named.mediaType : null;
}
