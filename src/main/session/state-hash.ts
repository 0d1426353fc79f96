import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from '#shared/json';
import type { SessionState } from '#shared/session-state';

/** SHA-256 (hex) over the canonical text of a fold: equal states have equal hashes, on every machine. */
export function stateHash(state: SessionState): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(state))));
}
