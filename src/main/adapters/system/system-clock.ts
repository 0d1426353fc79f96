import { performance } from 'node:perf_hooks';
import type { Clock } from '../../ports/clock';

/** The machine's clocks; timers do not keep the process alive by themselves. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    after(ms, call) {
      const timer = setTimeout(call, ms);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}
