import { crc32 } from 'node:zlib';
import { seqSpan, type EventRow } from './event-row';

/**
 * One row of `events` as five lines: sum, seq, at, v, fact. The last four form the text that `rowSum` covers,
 * so a row is checked in place. A fact is JSON text without line breaks; if it contains one, the check fails.
 */
export const packedRowSql = `sum || char(10) || (id % ${seqSpan}) || char(10) || at || char(10) || v || char(10) || fact || char(10)`;

/** The rows of a pack in order; null for a damaged row, after which the start of the next row is unknown. */
export function* unpackRows(sessionId: string, packed: string): Generator<EventRow | null> {
  const sumSoFar = crc32(`${sessionId}\n`);
  let start = 0;
  while (start < packed.length) {
    const seqAt = packed.indexOf('\n', start) + 1;
    const atAt = packed.indexOf('\n', seqAt) + 1;
    const vAt = packed.indexOf('\n', atAt) + 1;
    const factAt = packed.indexOf('\n', vAt) + 1;
    const end = packed.indexOf('\n', factAt);
    const sum = Number(packed.slice(start, seqAt - 1));
    if (end === -1 || crc32(packed.slice(seqAt, end), sumSoFar) !== sum) {
      yield null;
      return;
    }
    yield {
      sessionId,
      seq: Number(packed.slice(seqAt, atAt - 1)),
      at: Number(packed.slice(atAt, vAt - 1)),
      v: Number(packed.slice(vAt, factAt - 1)),
      sum,
      fact: packed.slice(factAt, end),
    };
    start = end + 1;
  }
}
