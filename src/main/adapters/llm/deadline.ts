import type { Clock } from '../../../core/ports/clock';

/** A signal that fires when the caller gives up or when the time set last is over; `late` tells which. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** (Re)starts the time. */
  readonly within: (ms: number) => void;
  /** Stops the time: nothing is waited for. */
  readonly pause: () => void;
  readonly late: () => boolean;
  /** Ends whatever still runs and forgets the caller's signal. */
  readonly close: () => void;
}

export function createDeadline(clock: Clock, caller: AbortSignal): Deadline {
  const controller = new AbortController();
  let late = false;
  let stopTimer = (): void => undefined;
  const abort = (): void => controller.abort();
  if (caller.aborted) abort();
  else caller.addEventListener('abort', abort, { once: true });
  const pause = (): void => {
    stopTimer();
    stopTimer = () => undefined;
  };
  return {
    signal: controller.signal,
    within(ms) {
      pause();
      stopTimer = clock.after(ms, () => {
        late = true;
        abort();
      });
    },
    pause,
    late: () => late,
    close() {
      pause();
      caller.removeEventListener('abort', abort);
      abort();
    },
  };
}
