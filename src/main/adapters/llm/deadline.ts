import type { Clock } from '../../../core/ports/clock';

/** A signal that fires when the caller cancels or the current time limit expires; `late` tells which. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Starts or restarts the time limit. */
  readonly within: (ms: number) => void;
  /** Stops the time limit while nothing is pending. */
  readonly pause: () => void;
  readonly late: () => boolean;
  /** Cancels the remaining work and detaches from the caller's signal. */
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
