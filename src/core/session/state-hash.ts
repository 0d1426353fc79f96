import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { writeCanonicalJson } from '#shared/json';
import type { SessionState } from '#shared/session-state';

/** Text hashed at a time, in UTF-16 code units: a long session's whole text would be held several times over. */
const charsPerStep = 65_536;

/** SHA-256 (hex) over the canonical text of a fold: equal states have equal hashes, on every machine. */
export function stateHash(state: SessionState): string {
  const hash = sha256.create();
  let pending = '';
  writeCanonicalJson(state, (piece) => {
    // A piece ends between characters, never inside a surrogate pair, so pieces may be encoded apart.
    pending += piece;
    if (pending.length < charsPerStep) return;
    hash.update(utf8ToBytes(pending));
    pending = '';
  });
  return bytesToHex(hash.update(utf8ToBytes(pending)).digest());
}
