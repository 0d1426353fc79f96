import type { Clock } from '../../core/ports/clock';

export interface IdleTimeout {
  /** Runs the work; when no work has been under way for the idle time, what it kept is let go. */
  track<T>(work: () => Promise<T>): Promise<T>;
}

/** Lets go of what costs something while nothing uses it. */
export function createIdleTimeout(clock: Clock, idleMs: number, release: () => void): IdleTimeout {
  let active = 0;
  let cancel: () => void = () => undefined;
  return {
    async track(work) {
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
