import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { SessionEvent, SessionFact } from '#shared/session-event';

/** Maximum number of events that one session key can number. */
export const seqSpan = 2 ** 32;

/** A stored event: its fact as JSON text, with a checksum over everything that must not change. */
export interface EventRow {
  readonly sessionId: string;
  readonly seq: number;
  readonly at: number;
  readonly v: number;
  readonly sum: number;
  /** Begins with `"prev"`, the hash of the previous event; rows written before schema version 3 have none. */
  readonly fact: string;
}

/** The fields of an event beside its fact. */
type Envelope = Pick<EventRow, 'sessionId' | 'seq' | 'at' | 'v'>;

/** Everything in a row except its checksum, as text: the input of the checksum and the hash. */
const rowText = ({ sessionId, seq, at, v, fact }: Omit<EventRow, 'sum'>): string =>
  `${sessionId}\n${seq}\n${at}\n${v}\n${fact}`;

/**
 * CRC-32 over the row's identity and content: SQLite's own structure cannot detect a flipped byte inside a
 * text.
 */
export const rowSum = (row: Omit<EventRow, 'sum'>): number => crc32(rowText(row));

/** Whether the row matches its checksum. */
export const isIntact = (row: EventRow): boolean => rowSum(row) === row.sum;

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

/** The link of a session's first event, which has no previous event. */
export const firstLink = (sessionId: string): string => sha256(sessionId);

/** Replaces the hash of a previous event that was unreadable when the next one was written. */
export const unreadableLink = (sessionId: string, seq: number): string =>
  sha256(`${sessionId}\n${seq}\nunreadable`);

const linkStart = '{"prev":"';
const linkEnd = linkStart.length + 43;

/** The hash of the previous event that a row carries; null in a row of an older version of Patina. */
export const linkOf = (fact: string): string | null =>
  fact.startsWith(linkStart) ? fact.slice(linkStart.length, linkEnd) : null;

/**
 * SHA-256 (base64url) of a stored event. It covers all events before it: through the link in the row, or, in
 * a row without a link, through `before`, the hash of the previous event.
 */
export function rowHash(row: Omit<EventRow, 'sum'>, before: string): string {
  return sha256(linkOf(row.fact) === null ? `${before}\n${rowText(row)}` : rowText(row));
}

/** Builds the row of an event that follows one with the hash `prev`. */
export function toRow(event: SessionEvent, prev: string): EventRow {
  const { sessionId, seq, at, v, ...fact } = event;
  const text = `${linkStart}${prev}",${JSON.stringify(fact).slice(1)}`;
  const row = { sessionId, seq, at, v, fact: text };
  return { ...row, sum: rowSum(row) };
}

/** Replaces the link of a row; an older row stays without one. */
export function relinked(row: EventRow, prev: string): EventRow {
  if (linkOf(row.fact) === null) return row;
  const next = { ...row, fact: `${linkStart}${prev}${row.fact.slice(linkEnd)}` };
  return { ...next, sum: rowSum(next) };
}

/** Parses the fact of a stored text whose checksum matched; throws on text that is not JSON. */
export function factOf(text: string): SessionFact {
  // The checksum proves that these are the bytes `toRow` wrote, so the shape needs no second check.
  return JSON.parse(linkOf(text) === null ? text : `{${text.slice(linkEnd + 2)}`) as SessionFact;
}

/** The event row in the text of a row of `unreadable`; null when the text is no such row. */
export function rowSetAside(text: string): EventRow | null {
  try {
    const [seq, sessionId, at, v, sum, fact] = JSON.parse(text) as Partial<
      readonly [number, string, number, number, number, string]
    >;
    return typeof seq === 'number' && typeof sessionId === 'string' && typeof fact === 'string'
      ? { sessionId, seq, at: Number(at), v: Number(v), sum: Number(sum), fact }
      : null;
  } catch {
    return null;
  }
}

/** Converts a row whose checksum matched into its event. */
export function eventOf({ sessionId, seq, at, v, fact }: Envelope & Pick<EventRow, 'fact'>): SessionEvent {
  return { sessionId, seq, at, v, ...factOf(fact) };
}
