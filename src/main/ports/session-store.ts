import type { Result } from '#shared/result';
import type { SessionEvent, SessionFact } from '#shared/session-event';
import type { SessionState, SessionSummary } from '#shared/session-state';
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

/**
 * The truth on disk: events by session. Calls are synchronous, and a returned success means committed and synced.
 * Failures are HOST/STORAGE; a session written by another process is HOST/STATE and names the holder.
 */
export interface SessionStore {
  /** Appends facts in one transaction, numbering them from `afterSeq + 1`; refuses when the stored seq differs or the lease is another's. */
  append(sessionId: string, afterSeq: number, facts: readonly SessionFact[]): Result<readonly SessionEvent[]>;
  /** Events after `afterSeq`, in order. */
  read(sessionId: string, afterSeq: number): Result<readonly SessionEvent[]>;
  /** Deletes a session this process is the writer of, for good; HOST/NOT_FOUND when there is none. */
  remove(sessionId: string): Result<null>;
  list(): Result<readonly SessionSummary[]>;
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
