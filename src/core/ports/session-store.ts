import { z } from 'zod';
import type { Result } from '#shared/result';
import type { SessionEvent, SessionFact } from '#shared/session-event';
import type { EventGap as PlacedGap, SessionState, SessionSummary } from '#shared/session-state';
import type { SearchHit } from '#shared/ipc';

export interface LeaseHolder {
  readonly holder: string;
  readonly pid: number;
}

/** The result of salvaging a damaged database. */
export interface Salvage {
  readonly quarantined: string;
  readonly eventsSaved: number;
  readonly rowsLost: number;
}

/** Integrity-check state of the sessions file. */
export interface Soundness {
  /** Whether a full check is due: a process ended uncleanly, or the last check is more than a week old. */
  checkDue(): boolean;
  /** Stores the result of a full check; `problem` is null for a sound file. */
  checked(problem: string | null): void;
}

/** Why the store is read-only. */
export interface ReadOnlyStore {
  readonly reason: string;
  readonly hint: string;
}

/** A range of missing or damaged events of a session, both ends inclusive. */
export interface EventGap {
  readonly fromSeq: number;
  readonly toSeq: number;
}

/** The readable events of a session, and the gaps before, between and after them. */
export interface StoredEvents {
  readonly events: readonly SessionEvent[];
  readonly gaps: readonly EventGap[];
  /** Number of the session's last event, readable or not. */
  readonly lastSeq: number;
  /** Known number of lines in the session, unreadable ones included. */
  readonly turnCount: number;
}

/** Result of checking a session's stored events. */
export interface SessionCheck {
  readonly sessionId: string;
  /** Number of readable events. */
  readonly intact: number;
  readonly gaps: readonly EventGap[];
  /** Events whose hash does not match the event before them, so something in between was changed. */
  readonly broken: readonly number[];
}

/**
 * Counts of a repair: events restored from unreadable rows and from copies, and events
 * still missing or damaged.
 */
export type SessionRepair = z.infer<typeof SessionRepair>;
export const SessionRepair = z
  .object({
    sessionId: z.string(),
    fromUnreadable: z.number(),
    fromCopies: z.number(),
    damaged: z.number(),
  })
  .readonly();

/** A daily copy of the sessions file; `sessions` is null when the copy cannot be read. */
export interface SessionCopy {
  readonly name: string;
  readonly day: string;
  readonly bytes: number;
  readonly sessions: number | null;
}

/** A fact with its time, in milliseconds since the epoch. */
export interface TimedFact {
  readonly fact: SessionFact;
  readonly at: number;
}

/** The time of each fact in milliseconds since the epoch; undefined for one that happens now. */
export type FactTimes = readonly (number | undefined)[];

/** How a session begins. */
export interface SessionOpening {
  readonly sessionId: string;
  readonly title: string;
  /** The turn of its first message. */
  readonly turn: number;
  /** The beginning of that message's first line; empty without one. */
  readonly line: string;
}

/**
 * Source of truth on disk: events by session. Calls are synchronous; success means committed and
 * synced. Failures are HOST/STORAGE; a session that another process is writing is HOST/STATE,
 * which names the lease holder.
 */
export interface SessionStore {
  /**
   * Appends facts in one transaction, numbered from `afterSeq + 1`, as of now unless `times` has their time;
   * fails when the stored seq differs or another process owns the lease.
   */
  append(
    sessionId: string,
    afterSeq: number,
    facts: readonly SessionFact[],
    times?: FactTimes,
  ): Result<readonly SessionEvent[]>;
  /**
   * Writes a new session with facts of earlier times in one transaction. HOST/STATE when it exists; the caller
   * owns its lease.
   */
  importSession(sessionId: string, facts: readonly TimedFact[]): Result<readonly SessionEvent[]>;
  /** Events after `afterSeq`, in order; unreadable events are skipped and reported as gaps. */
  read(sessionId: string, afterSeq: number): Result<StoredEvents>;
  /** At most `maxEvents` of the newest events, in order and without gaps; fewer when they are very long. */
  tail(sessionId: string, maxEvents: number): Result<readonly SessionEvent[]>;
  /**
   * Gaps up to `lastSeq`, each with the line it follows; null when finding them would read more than
   * `maxChars`. Needed for a state loaded from a snapshot, which does not record earlier damage.
   */
  gapsUpTo(sessionId: string, lastSeq: number, maxChars: number): Result<readonly PlacedGap[] | null>;
  /** Checks every stored event of a session and the hash that links it to the one before. */
  check(sessionId: string): Result<SessionCheck>;
  /**
   * Restores events from rows set aside and from copies. With `copy`, uses only that copy and
   * restores the whole session if it no longer exists. Only for the session's writer; HOST/STATE
   * while another process is the writer.
   */
  repair(sessionId: string, copy?: string): Result<SessionRepair>;
  /** Number of events that a repair would restore. */
  restorable(sessionId: string): Result<number>;
  /** Sessions that may be repairable without being damaged, because some of their rows were set aside. */
  quarantinedSessions(): Result<readonly string[]>;
  copies(): Result<readonly SessionCopy[]>;
  /** The sessions in a copy. */
  copied(copy: string): Result<readonly SessionSummary[]>;
  /** Permanently deletes a session that this process writes; HOST/NOT_FOUND when it does not exist. */
  remove(sessionId: string): Result<null>;
  list(): Result<readonly SessionSummary[]>;
  /** The session in which a run started, at a cost independent of their number; null: not indexed. */
  sessionOfRun(runId: string): Result<string | null>;
  /**
   * Number of missing, damaged or wrongly linked events for each of these sessions that has any; reads at
   * most `maxChars` of stored text.
   */
  damaged(sessionIds: readonly string[], maxChars: number): Result<ReadonlyMap<string, number>>;
  search(text: string, limit: number): Result<readonly SearchHit[]>;
  /** How the newest sessions begin, newest first; archived ones come last. */
  openings(limit: number): Result<readonly SessionOpening[]>;
  /** The newest stored state of a session to start reading from; a cache, never the source of truth. */
  loadSnapshot(sessionId: string): SessionState | null;
  saveSnapshot(state: SessionState): void;
  /** Makes this process the only writer of the session until it releases the lease or exits. */
  acquireLease(sessionId: string): Result<null>;
  releaseLease(sessionId: string): void;
  /** What was salvaged when the database was opened; null when it was not damaged. */
  salvage(): Salvage | null;
  close(): void;
}
