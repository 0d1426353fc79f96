import { crc32 } from 'node:zlib';
import type { SessionEvent, SessionFact } from '#shared/session-event';

/** Events of one session that a key can number. */
export const seqSpan = 2 ** 32;

/** A stored event: its fact as JSON text, with a checksum over everything that must not change. */
export interface EventRow {
  readonly sessionId: string;
  readonly seq: number;
  readonly at: number;
  readonly v: number;
  readonly sum: number;
  readonly fact: string;
}

/** What an event has beside its fact. */
type Envelope = Pick<EventRow, 'sessionId' | 'seq' | 'at' | 'v'>;

/** CRC-32 over the row's identity and content: SQLite's own structure says nothing about a byte flipped inside a text. */
export function rowSum(row: Omit<EventRow, 'sum'>): number {
  return crc32(`${row.sessionId}\n${row.seq}\n${row.at}\n${row.v}\n${row.fact}`);
}

export function toRow(event: SessionEvent): EventRow {
  const { sessionId, seq, at, v, ...fact } = event;
  const row = { sessionId, seq, at, v, fact: JSON.stringify(fact) };
  return { ...row, sum: rowSum(row) };
}

/** The event of a fact's text whose checksum was right; throws on a text that is not JSON. */
export function factEvent(text: string, { sessionId, seq, at, v }: Envelope): SessionEvent {
  // The checksum proves that these are the bytes `toRow` made of a fact, so the shape is not checked a second time.
  const fact = JSON.parse(text) as SessionFact;
  return { sessionId, seq, at, v, ...fact };
}

/** The event of a row, or null when the row is not what was written. */
export function fromRow(row: EventRow): SessionEvent | null {
  return rowSum(row) === row.sum ? factEvent(row.fact, row) : null;
}
