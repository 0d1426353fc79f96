import { crc32 } from 'node:zlib';
import type { EventGap } from '../../../core/ports/session-store';
import { firstLink, linkOf, rowHash, unreadableLink, type EventRow } from './event-row';
import type { EventTable } from './event-table';
import type { Sqlite } from './sqlite';
import { textOf, type StoredText } from './stored-text';

/**
 * The end of a session: the number of its last event, which equals its event count, and the hash of that
 * event.
 */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

export type HeadTable = ReturnType<typeof createHeadTable>;

const headSum = (sessionId: string, { seq, hash }: Head): number => crc32(`${sessionId}\n${seq}\n${hash}`);

/** Whether the checksum of a stored head matches. */
export const headIntact = (sessionId: string, head: Head & { readonly sum: number }): boolean =>
  headSum(sessionId, head) === head.sum;

/**
 * The statements over `heads`, which record how far each session must reach, so that a truncated session is
 * detected.
 */
export function createHeadTable(db: Sqlite) {
  const find = db.prepare('SELECT seq, CAST(hash AS BLOB) AS hash, sum FROM heads WHERE key = ?');
  const put = db.prepare(
    'INSERT OR REPLACE INTO heads (key, session_id, seq, hash, sum) VALUES (?, ?, ?, ?, ?)',
  );
  const drop = db.prepare('DELETE FROM heads WHERE key = ?');
  return {
    /** Returns null when there is no head or its checksum does not match. */
    find(key: number, sessionId: string): Head | null {
      const row = find.get(key) as { seq: number; hash: StoredText; sum: number } | undefined;
      const head = row && { seq: row.seq, hash: textOf(row.hash), sum: row.sum };
      return head && headIntact(sessionId, head) ? head : null;
    },
    put(key: number, sessionId: string, head: Head): void {
      put.run(key, sessionId, head.seq, head.hash, headSum(sessionId, head));
    },
    drop: (key: number): void => void drop.run(key),
  };
}

/** The result of checking every stored event of a session. */
export interface ChainCheck {
  /** Number of readable events. */
  readonly intact: number;
  /** Missing or damaged events. */
  readonly gaps: readonly EventGap[];
  /** Events whose link does not match the event before them: one of the two was changed. */
  readonly broken: readonly number[];
  /** The last event that exists or existed, and its hash. */
  readonly end: Head;
}

/** Number of events that are missing, damaged or do not follow the one before. */
export const wrongIn = ({ gaps, broken }: Pick<ChainCheck, 'gaps' | 'broken'>): number =>
  gaps.reduce((sum, { fromSeq, toSeq }) => sum + toSeq - fromSeq + 1, broken.length);

interface Walk {
  readonly gaps: EventGap[];
  readonly broken: number[];
  intact: number;
  seq: number;
  /** Hash of event `seq`; null when that event is unreadable. */
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

/** Checks a session's events from first to last; `head`, if known, says how far they must reach. */
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

export type EventChain = ReturnType<typeof createEventChain>;

/** The links of sessions being written; caches the end of each, so that an append reads nothing. */
export function createEventChain(events: EventTable, heads: HeadTable) {
  const ends = new Map<string, Head>();

  const read = (key: number, sessionId: string, seq: number): string => {
    if (seq === 0) return firstLink(sessionId);
    const row = events.find(key, sessionId, seq);
    if (row && linkOf(row.fact) !== null) return rowHash(row, '');
    const head = heads.find(key, sessionId);
    if (head?.seq === seq) return head.hash;
    // A row of an older version of Patina: its hash depends on all rows before it.
    return row ? checkChain(events, key, sessionId, null).end.hash : unreadableLink(sessionId, seq);
  };

  return {
    /** The hash that the event after `afterSeq` must carry as its link. */
    linkAfter(key: number, sessionId: string, afterSeq: number): string {
      const end = ends.get(sessionId);
      return end?.seq === afterSeq ? end.hash : read(key, sessionId, afterSeq);
    },
    /** Whether this process wrote the session's last event, number `seq`. */
    endsAt: (sessionId: string, seq: number): boolean => ends.get(sessionId)?.seq === seq,
    /** Remembers the end of a session; call it only after the commit. */
    remember: (sessionId: string, end: Head): void => void ends.set(sessionId, end),
    /** Forgets the end: another process may have written since. */
    forget: (sessionId: string): void => void ends.delete(sessionId),
  };
}
