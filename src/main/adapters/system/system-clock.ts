import { performance } from 'node:perf_hooks';
import type { Clock } from '../../../core/ports/clock';

/** A timer of the platform with a longer delay would end at once. */
const maxTimerMs = 2 ** 31 - 1;

/** The machine's clocks. A timer keeps the process alive only on request. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    after(ms, call, blocksExit = false) {
      let timer: NodeJS.Timeout;
      const start = (left: number): void => {
        const next = Math.min(left, maxTimerMs);
        timer = setTimeout(() => (left > next ? start(left - next) : call()), next);
        if (!blocksExit) timer.unref();
      };
      start(ms);
      return () => clearTimeout(timer);
    },
  };
}

/** Formats a moment in local time with its UTC offset: `2026-01-02T10:11:12+01:00`. */
export function localTime(now: number): string {
  const date = new Date(now);
  const offset = -date.getTimezoneOffset();
  const local = new Date(now + offset * 60_000).toISOString().slice(0, 19);
  const two = (value: number): string => String(Math.trunc(Math.abs(value))).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`;
}

/** The local day of a moment: `2026-01-02`. */
export const localDay = (now: number): string => localTime(now).slice(0, 10);
