import type { SessionFact } from '#shared/session-event';
import type { Clock } from '../ports/clock';

/** The record of a finished read waits this long to share a commit; nothing shown as saved can be lost. */
const batchWindowMs = 100;

/** Facts on their way to the session, in order. */
export interface FactBuffer {
  /** Records soon, together with what else comes. */
  readonly add: (fact: SessionFact) => void;
  /** Commits now, after everything added before; false: the session can no longer be written. */
  readonly record: (facts: readonly SessionFact[]) => boolean;
  readonly flush: () => boolean;
  /** Commits the rest and refuses later facts: a result that arrives late belongs to no run. */
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
