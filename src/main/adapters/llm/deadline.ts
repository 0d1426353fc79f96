import type { Clock } from '../../../core/ports/clock';

/** A signal that fires when the caller cancels or the current time limit expires; `late` tells which. */
export type Deadline = ReturnType<typeof createDeadline>;

export function createDeadline(clock: Clock, caller: AbortSignal) {
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
    /** Starts or restarts the time limit. */
    within(ms: number): void {
      pause();
      stopTimer = clock.after(ms, () => {
        late = true;
        abort();
      });
    },
    /** Stops the time limit while nothing is pending. */
    pause,
    late: (): boolean => late,
    /** Cancels the remaining work and detaches from the caller's signal. */
    close(): void {
      pause();
      caller.removeEventListener('abort', abort);
      abort();
    },
  };
}
