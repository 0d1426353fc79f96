import { performance } from 'node:perf_hooks';
import type { Clock } from '../../../core/ports/clock';

/** The machine's clocks; timers do not keep the process alive unless they are asked to. */
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
