/** A text column as bytes: the driver ends the whole process on text that is not UTF-8, so stored text is always read `CAST(… AS BLOB)`. */
export type StoredText = Uint8Array | ArrayBuffer;

/** The text of the bytes; what is not UTF-8 becomes U+FFFD, and fails the checksum where there is one. */
export function textOf(stored: StoredText): string {
  return Buffer.from(stored as Uint8Array).toString('utf8');
}
