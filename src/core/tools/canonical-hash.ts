import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from '#shared/json';

/** SHA-256, in hex, of a value's canonical JSON: equal values have the same hash on every machine. */
export function canonicalHash(value: unknown): string {
  return textHash(canonicalJson(value));
}

/** SHA-256, in hex, of bytes. */
export const bytesHash = (bytes: Uint8Array): string => bytesToHex(sha256(bytes));

/** SHA-256, in hex, of a text's UTF-8 bytes. */
export function textHash(text: string): string {
  return bytesHash(utf8ToBytes(text));
}
