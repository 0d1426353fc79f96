import type { AppError } from '#shared/app-error';
import type { SessionState } from '#shared/session-state';

/** A session in memory. */
export interface OpenEntry {
  readonly state: SessionState;
  /** Why this process cannot write to the session; null when it can. */
  readonly readOnly: AppError | null;
  /** The seq of the newest stored snapshot. */
  readonly snapshotSeq: number;
}

export type OpenSessions = ReturnType<typeof createOpenSessions>;

interface Limits {
  readonly limit: number;
  readonly mayLeave: (entry: OpenEntry) => boolean;
  readonly onLeave: (entry: OpenEntry) => void;
}

/** An LRU cache of open sessions; memory use depends on them and not on all sessions ever written. */
export function createOpenSessions({ limit, mayLeave, onLeave }: Limits) {
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
    get(sessionId: string): OpenEntry | undefined {
      const entry = entries.get(sessionId);
      if (entry) {
        entries.delete(sessionId);
        entries.set(sessionId, entry);
      }
      return entry;
    },
    /** Adds the entry as the most recently used; evicts the least recently used ones above the limit. */
    put(entry: OpenEntry): void {
      entries.delete(entry.state.id);
      entries.set(entry.state.id, entry);
      shrink(entry.state.id);
    },
    remove: (sessionId: string): void => void entries.delete(sessionId),
    all: (): readonly OpenEntry[] => [...entries.values()],
  };
}
