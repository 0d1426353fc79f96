import { hash } from 'node:crypto';
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
  /** Begins with `"prev"`, the hash of the event before it; rows of Patina before schema version 3 have none. */
  readonly fact: string;
}

/** What an event has beside its fact. */
type Envelope = Pick<EventRow, 'sessionId' | 'seq' | 'at' | 'v'>;

/** Everything of a row but its checksum, as text: what the checksum and the hash are made over. */
const rowText = ({ sessionId, seq, at, v, fact }: Omit<EventRow, 'sum'>): string =>
  `${sessionId}\n${seq}\n${at}\n${v}\n${fact}`;

/** CRC-32 over the row's identity and content: SQLite's own structure says nothing about a byte flipped inside a text. */
export const rowSum = (row: Omit<EventRow, 'sum'>): number => crc32(rowText(row));

/** Whether the row is what was written. */
export const isIntact = (row: EventRow): boolean => rowSum(row) === row.sum;

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

/** Stands for the event before a session's first. */
export const firstLink = (sessionId: string): string => sha256(sessionId);

/** Stands for the hash of an event that could not be read when the next one was written. */
export const unreadableLink = (sessionId: string, seq: number): string =>
  sha256(`${sessionId}\n${seq}\nunreadable`);

const linkStart = '{"prev":"';
const linkEnd = linkStart.length + 43;

/** The hash of the event before it that a row carries; null in a row of an older Patina. */
export const linkOf = (fact: string): string | null =>
  fact.startsWith(linkStart) ? fact.slice(linkStart.length, linkEnd) : null;

/**
 * SHA-256 (base64url) of a stored event. It covers all events before it: through the link the row carries, and in a row that carries
 * none through `before`, the hash of the event before it.
 */
export function rowHash(row: Omit<EventRow, 'sum'>, before: string): string {
  return sha256(linkOf(row.fact) === null ? `${before}\n${rowText(row)}` : rowText(row));
}

/** The row of an event that follows one with the hash `prev`. */
export function toRow(event: SessionEvent, prev: string): EventRow {
  const { sessionId, seq, at, v, ...fact } = event;
  const text = `${linkStart}${prev}",${JSON.stringify(fact).slice(1)}`;
  const row = { sessionId, seq, at, v, fact: text };
  return { ...row, sum: rowSum(row) };
}

/** A row with another link; an older row stays without one. */
export function relinked(row: EventRow, prev: string): EventRow {
  if (linkOf(row.fact) === null) return row;
  const next = { ...row, fact: `${linkStart}${prev}${row.fact.slice(linkEnd)}` };
  return { ...next, sum: rowSum(next) };
}

/** The fact of a stored text whose checksum was right; throws on a text that is not JSON. */
export function factOf(text: string): SessionFact {
  // The checksum proves that these are the bytes `toRow` made of a fact, so the shape is not checked a second time.
  return JSON.parse(linkOf(text) === null ? text : `{${text.slice(linkEnd + 2)}`) as SessionFact;
}

/** The event of a row whose checksum was right. */
export function eventOf({ sessionId, seq, at, v, fact }: Envelope & Pick<EventRow, 'fact'>): SessionEvent {
  return { sessionId, seq, at, v, ...factOf(fact) };
}
