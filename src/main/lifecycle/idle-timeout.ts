import type { Clock } from '../../core/ports/clock';

/** Releases expensive resources when they are idle. */
export function createIdleTimeout(clock: Clock, idleMs: number, release: () => void) {
  let active = 0;
  let cancel: () => void = () => undefined;
  return {
    /** Runs the work; releases the resources when no work has run for the idle time. */
    async track<T>(work: () => Promise<T>): Promise<T> {
      cancel();
      active += 1;
      try {
        return await work();
      } finally {
        active -= 1;
        if (active === 0) cancel = clock.after(idleMs, release);
      }
    },
  };
}
