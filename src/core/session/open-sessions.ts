import type { AppError } from '#shared/app-error';
import type { SessionState } from '#shared/session-state';

/** A session held in memory. */
export interface OpenEntry {
  readonly state: SessionState;
  /** Why it cannot be written from here, when it cannot. */
  readonly readOnly: AppError | null;
  /** The seq of the newest stored snapshot. */
  readonly snapshotSeq: number;
}

export interface OpenSessions {
  get(sessionId: string): OpenEntry | undefined;
  /** Puts the entry in as the one used last; the one unused for longest leaves when there are too many. */
  put(entry: OpenEntry): void;
  remove(sessionId: string): void;
  all(): readonly OpenEntry[];
}

interface Limits {
  readonly limit: number;
  readonly mayLeave: (entry: OpenEntry) => boolean;
  readonly onLeave: (entry: OpenEntry) => void;
}

/** The few sessions in memory, by time of last use; memory follows what is open, not what was ever written. */
export function createOpenSessions({ limit, mayLeave, onLeave }: Limits): OpenSessions {
  const entries = new Map<string, OpenEntry>();

  const shrink = (newest: string): void => {
    for (const [id, entry] of entries) {
      if (entries.size <= limit) return;
      if (id === newest || !mayLeave(entry)) continue;
      entries.delete(id);
      onLeave(entry);
    }
  };

  return {
    get(sessionId) {
      const entry = entries.get(sessionId);
      if (entry) {
        entries.delete(sessionId);
        entries.set(sessionId, entry);
      }
      return entry;
    },
    put(entry) {
      entries.delete(entry.state.id);
      entries.set(entry.state.id, entry);
      shrink(entry.state.id);
    },
    remove: (sessionId) => void entries.delete(sessionId),
    all: () => [...entries.values()],
  };
}
