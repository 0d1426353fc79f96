/** Time limits of a call, in milliseconds. */
export interface CallTimes {
  /** Without any progress from the server. */
  readonly quietMs: number;
  /** In total, however often the server reports progress. */
  readonly totalMs: number;
}

/** The timer of one call; it pauses while its server waits for the user. */
export interface CallClock {
  /** The server reported progress. */
  readonly heard: () => void;
  /** The server waits for the user; call the returned function when the wait ends. */
  readonly pause: () => () => void;
  readonly end: () => void;
}

/** Starts the timer; calls `onOver` once when the time is up. */
export function startCallClock({ quietMs, totalMs }: CallTimes, onOver: () => void): CallClock {
  let quiet = quietMs;
  let total = totalMs;
  let since = performance.now();
  let waits = 0;
  let timer: NodeJS.Timeout | null = null;
  const stop = (): void => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    const passed = performance.now() - since;
    quiet -= passed;
    total -= passed;
  };
  const go = (): void => {
    since = performance.now();
    timer = setTimeout(onOver, Math.max(0, Math.min(quiet, total)));
  };
  go();
  return {
    heard() {
      if (timer === null) {
        quiet = quietMs;
        return;
      }
      stop();
      quiet = quietMs;
      go();
    },
    pause() {
      waits += 1;
      stop();
      let over = false;
      return () => {
        if (over) return;
        over = true;
        waits -= 1;
        if (waits === 0) go();
      };
    },
    end() {
      // Prevents a restart: a pending pause that ends later must not resume a stopped timer.
      waits = Infinity;
      stop();
    },
  };
}
