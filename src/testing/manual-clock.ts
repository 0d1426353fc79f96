import type { Clock } from '../core/ports/clock';

/** A clock that only advances on request; timers fire in order of time. */
export function createManualClock(start = 1_000) {
  let time = start;
  let timers: { readonly at: number; readonly call: () => void }[] = [];
  const clock: Clock = {
    now: () => time,
    elapsed: () => time,
    after: (ms, call) => {
      const timer = { at: time + ms, call };
      timers.push(timer);
      return () => void (timers = timers.filter((one) => one !== timer));
    },
  };
  const advance = (ms: number): void => {
    const end = time + ms;
    for (;;) {
      const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      timers = timers.filter((timer) => timer !== next);
      time = Math.max(time, next.at);
      next.call();
    }
    time = end;
  };
  return { clock, advance, timers: () => timers.length };
}
