import { performance } from 'node:perf_hooks';
import type { Clock } from '../../../core/ports/clock';

/** The machine's clocks. A timer keeps the process alive only on request. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    after(ms, call, keepAlive = false) {
      const timer = setTimeout(call, ms);
      if (!keepAlive) timer.unref();
      return () => clearTimeout(timer);
    },
  };
}
