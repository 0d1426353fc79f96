import type { SessionFact } from '#shared/session-event';
import type { Clock } from '../ports/clock';

/**
 * Delay before the record of a finished read is committed, so that several share one commit; data shown as
 * saved is never lost.
 */
const batchWindowMs = 100;

/** Buffers facts on their way to the session and keeps their order. */
export interface FactBuffer {
  /** Records the fact soon, in one commit with others. */
  readonly add: (fact: SessionFact) => void;
  /** Commits now, after everything added before; false: the session is no longer writable. */
  readonly record: (facts: readonly SessionFact[]) => boolean;
  readonly flush: () => boolean;
  /** Commits the rest and refuses later facts: a late result belongs to no run. */
  readonly close: () => void;
}

/** `onBroken` is called once, when the session refuses a write. */
export function createFactBuffer(
  clock: Clock,
  commit: (facts: readonly SessionFact[]) => boolean,
  onBroken: () => void,
): FactBuffer {
  let waiting: SessionFact[] = [];
  let cancelTimer: (() => void) | null = null;
  let broken = false;
  let closed = false;
  const record = (facts: readonly SessionFact[]): boolean => {
    cancelTimer?.();
    cancelTimer = null;
    const all = [...waiting, ...facts];
    waiting = [];
    if (broken || closed) return false;
    if (all.length === 0 || commit(all)) return true;
    broken = true;
    onBroken();
    return false;
  };
  return {
    add: (fact) => {
      if (closed) return;
      waiting.push(fact);
      cancelTimer ??= clock.after(batchWindowMs, () => void record([]));
    },
    record,
    flush: () => record([]),
    close: () => {
      record([]);
      closed = true;
    },
  };
}
