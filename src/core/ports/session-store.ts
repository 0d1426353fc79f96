import type { Result } from '#shared/result';
import type { SessionEvent, SessionFact } from '#shared/session-event';
import type { EventGap as PlacedGap, SessionState, SessionSummary } from '#shared/session-state';
import type { SearchHit } from '#shared/ipc';

export interface LeaseHolder {
  readonly holder: string;
  readonly pid: number;
}

/** What was lost when a damaged database was salvaged. */
export interface Salvage {
  readonly setAside: string;
  readonly eventsKept: number;
  readonly rowsLost: number;
}

/** What the sessions store tells of its file's soundness. */
export interface Soundness {
  /** Whether the file should be checked completely: a process ended uncleanly, or nobody looked for a week. */
  checkDue(): boolean;
  /** Keeps what a complete check found; `problem` is null for a sound file. */
  checked(problem: string | null): void;
}

/** Why the sessions can be read and not written. */
export interface ReadOnlyStore {
  readonly reason: string;
  readonly hint: string;
}

/** Events of a session that are missing or damaged, both ends included. */
export interface EventGap {
  readonly fromSeq: number;
  readonly toSeq: number;
}

/** The events of a session that can be read, and where others are missing between, before or behind them. */
export interface StoredEvents {
  readonly events: readonly SessionEvent[];
  readonly gaps: readonly EventGap[];
  /** The number of the session's last event, whether it can be read or not. */
  readonly lastSeq: number;
  /** How many lines the session is known to have had, those that cannot be read included. */
  readonly turnCount: number;
}

/** What is wrong with a session's stored events. */
export interface SessionCheck {
  readonly sessionId: string;
  /** Events that can be read. */
  readonly intact: number;
  readonly gaps: readonly EventGap[];
  /** Events that do not follow the one before them: their hash says that something between was changed. */
  readonly broken: readonly number[];
}

/** What a repair put back, and what it could not: events that stay missing or damaged. */
export interface SessionRepair {
  readonly sessionId: string;
  readonly fromUnreadable: number;
  readonly fromCopies: number;
  readonly damaged: number;
}

/** A daily copy of the sessions file; `sessions` is null for one that cannot be read. */
export interface SessionCopy {
  readonly name: string;
  readonly day: string;
  readonly bytes: number;
  readonly sessions: number | null;
}

/**
 * The truth on disk: events by session. Calls are synchronous, and a returned success means committed and synced.
 * Failures are HOST/STORAGE; a session written by another process is HOST/STATE and names the holder.
 */
export interface SessionStore {
  /** Appends facts in one transaction, numbering them from `afterSeq + 1`; refuses when the stored seq differs or the lease is another's. */
  append(sessionId: string, afterSeq: number, facts: readonly SessionFact[]): Result<readonly SessionEvent[]>;
  /** Events after `afterSeq`, in order; one that cannot be read is skipped and named. */
  read(sessionId: string, afterSeq: number): Result<StoredEvents>;
  /**
   * Where events up to `lastSeq` cannot be read, each with the line it follows; null when that takes a look at more than `maxChars`.
   * For a state that begins with a snapshot, which knows nothing of damage behind it.
   */
  gapsUpTo(sessionId: string, lastSeq: number, maxChars: number): Result<readonly PlacedGap[] | null>;
  /** Looks at every stored event of a session and at how each follows the one before. */
  check(sessionId: string): Result<SessionCheck>;
  /**
   * Puts back events that were set aside or are in a copy; with `copy`, from that one alone, and the session whole when it is gone.
   * For the session's writer; HOST/STATE while another process is it.
   */
  repair(sessionId: string, copy?: string): Result<SessionRepair>;
  /** How many events a repair would put back. */
  restorable(sessionId: string): Result<number>;
  /** Sessions that may have something to repair without being damaged: rows of them were set aside. */
  setAside(): Result<readonly string[]>;
  copies(): Result<readonly SessionCopy[]>;
  /** The sessions a copy holds. */
  copied(copy: string): Result<readonly SessionSummary[]>;
  /** Deletes a session this process is the writer of, for good; HOST/NOT_FOUND when there is none. */
  remove(sessionId: string): Result<null>;
  list(): Result<readonly SessionSummary[]>;
  /**
   * How many events of these sessions are missing, damaged or do not follow the one before, for those that have such; looks at
   * `maxChars` of stored text and no further.
   */
  damaged(sessionIds: readonly string[], maxChars: number): Result<ReadonlyMap<string, number>>;
  search(text: string, limit: number): Result<readonly SearchHit[]>;
  /** The newest stored fold of a session, to start reading from; a cache, never the truth. */
  loadSnapshot(sessionId: string): SessionState | null;
  saveSnapshot(state: SessionState): void;
  /** Makes this process the session's one writer until released or dead. */
  acquireLease(sessionId: string): Result<null>;
  releaseLease(sessionId: string): void;
  /** Sessions whose last writer died or let go, with work still marked as running. */
  salvage(): Salvage | null;
  close(): void;
}
