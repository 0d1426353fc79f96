/**
 * A text column as bytes: the driver aborts the process on text that is not UTF-8, so stored text is always
 * read as `CAST(… AS BLOB)`.
 */
export type StoredText = Uint8Array | ArrayBuffer;

/** Decodes the bytes; invalid UTF-8 becomes U+FFFD, so any checksum over it fails. */
export function textOf(stored: StoredText): string {
  return Buffer.from(stored as Uint8Array).toString('utf8');
}
