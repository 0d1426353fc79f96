import { crc32 } from 'node:zlib';
import type { EventGap } from '../../../core/ports/session-store';
import { firstLink, linkOf, rowHash, unreadableLink, type EventRow } from './event-row';
import type { EventTable } from './event-table';
import type { Sqlite } from './sqlite';
import { textOf, type StoredText } from './stored-text';

/** Where a session ends: the number of its last event, which is how many it has, and that event's hash. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

export interface HeadTable {
  /** Null when there is none, or when it is not what was written. */
  find(key: number, sessionId: string): Head | null;
  put(key: number, sessionId: string, head: Head): void;
  /** Writes the head of a session that has none and still ends at `head.seq`; whether it did. */
  putFirst(key: number, sessionId: string, head: Head): boolean;
  drop(key: number): void;
}

const headSum = (sessionId: string, { seq, hash }: Head): number => crc32(`${sessionId}\n${seq}\n${hash}`);

/** Whether a stored head is what was written. */
export const headIntact = (sessionId: string, head: Head & { readonly sum: number }): boolean =>
  headSum(sessionId, head) === head.sum;

/** The statements over `heads`: what a session must reach, so that a cut at its end shows. */
export function createHeadTable(db: Sqlite, events: EventTable): HeadTable {
  const find = db.prepare('SELECT seq, CAST(hash AS BLOB) AS hash, sum FROM heads WHERE key = ?');
  const put = db.prepare(
    'INSERT OR REPLACE INTO heads (key, session_id, seq, hash, sum) VALUES (?, ?, ?, ?, ?)',
  );
  const putFirst = db.prepare(
    'INSERT OR IGNORE INTO heads (key, session_id, seq, hash, sum) VALUES (?, ?, ?, ?, ?)',
  );
  const drop = db.prepare('DELETE FROM heads WHERE key = ?');
  return {
    find(key, sessionId) {
      const row = find.get(key) as { seq: number; hash: StoredText; sum: number } | undefined;
      const head = row && { seq: row.seq, hash: textOf(row.hash), sum: row.sum };
      return head && headIntact(sessionId, head) ? head : null;
    },
    put(key, sessionId, head) {
      put.run(key, sessionId, head.seq, head.hash, headSum(sessionId, head));
    },
    putFirst(key, sessionId, head) {
      if (events.lastSeq(key) !== head.seq) return false;
      return putFirst.run(key, sessionId, head.seq, head.hash, headSum(sessionId, head)).changes === 1;
    },
    drop: (key) => void drop.run(key),
  };
}

/** What a look at every stored event of a session found. */
export interface ChainCheck {
  /** Events that can be read. */
  readonly intact: number;
  /** Events that are missing or damaged. */
  readonly gaps: readonly EventGap[];
  /** Events that do not follow the event before them: one of the two is not the one that was written. */
  readonly broken: readonly number[];
  /** The last event there is or was, and its hash. */
  readonly end: Head;
}

/** How many events are missing, damaged or do not follow the one before them. */
export const wrongIn = ({ gaps, broken }: Pick<ChainCheck, 'gaps' | 'broken'>): number =>
  gaps.reduce((sum, { fromSeq, toSeq }) => sum + toSeq - fromSeq + 1, broken.length);

interface Walk {
  readonly gaps: EventGap[];
  readonly broken: number[];
  intact: number;
  seq: number;
  /** Hash of the event `seq`; null when that one could not be read. */
  hash: string | null;
}

function skipTo(walk: Walk, seq: number): void {
  if (seq <= walk.seq) return;
  walk.gaps.push({ fromSeq: walk.seq + 1, toSeq: seq });
  walk.seq = seq;
  walk.hash = null;
}

function takeRow(walk: Walk, row: EventRow, head: Head | null): void {
  skipTo(walk, row.seq - 1);
  const lost = unreadableLink(row.sessionId, walk.seq);
  const link = linkOf(row.fact);
  if (link !== null && walk.hash !== null && link !== walk.hash && link !== lost) walk.broken.push(row.seq);
  walk.hash = rowHash(row, walk.hash ?? lost);
  walk.seq = row.seq;
  walk.intact += 1;
  if (head?.seq === row.seq && head.hash !== walk.hash) walk.broken.push(row.seq);
}

/** Follows a session's events from the first to the last; `head` says how far they must reach, where it is known. */
export function checkChain(
  events: Pick<EventTable, 'intact' | 'readableEnd'>,
  key: number,
  sessionId: string,
  head: Head | null,
  atLeast = 0,
): ChainCheck {
  const walk: Walk = { gaps: [], broken: [], intact: 0, seq: 0, hash: firstLink(sessionId) };
  const lastSeq = Math.max(events.readableEnd(key), head?.seq ?? 0, atLeast);
  for (const row of events.intact(key, sessionId, { afterSeq: 0, lastSeq })) takeRow(walk, row, head);
  skipTo(walk, lastSeq);
  const { gaps, broken, intact } = walk;
  const known = head?.seq === lastSeq ? head.hash : null;
  const hash = walk.hash ?? known ?? unreadableLink(sessionId, lastSeq);
  return { intact, gaps, broken: [...new Set(broken)], end: { seq: lastSeq, hash } };
}

export interface EventChain {
  /** The hash that the event after `afterSeq` has to carry. */
  linkAfter(key: number, sessionId: string, afterSeq: number): string;
  /** Whether this process wrote the session up to there. */
  endsAt(sessionId: string, seq: number): boolean;
  /** Remembers how a session ends now; only what was committed. */
  remember(sessionId: string, end: Head): void;
  /** Forgets it: another process may have written since. */
  forget(sessionId: string): void;
}

/** The links of sessions that are being written; the end of each is kept, so that an append reads nothing. */
export function createEventChain(events: EventTable, heads: HeadTable): EventChain {
  const ends = new Map<string, Head>();

  const read = (key: number, sessionId: string, seq: number): string => {
    if (seq === 0) return firstLink(sessionId);
    const row = events.find(key, sessionId, seq);
    if (row && linkOf(row.fact) !== null) return rowHash(row, '');
    const head = heads.find(key, sessionId);
    if (head?.seq === seq) return head.hash;
    // A row of an older Patina: its hash follows from all the rows before it.
    return row ? checkChain(events, key, sessionId, null).end.hash : unreadableLink(sessionId, seq);
  };

  return {
    linkAfter(key, sessionId, afterSeq) {
      const end = ends.get(sessionId);
      return end?.seq === afterSeq ? end.hash : read(key, sessionId, afterSeq);
    },
    endsAt: (sessionId, seq) => ends.get(sessionId)?.seq === seq,
    remember: (sessionId, end) => void ends.set(sessionId, end),
    forget: (sessionId) => void ends.delete(sessionId),
  };
}
