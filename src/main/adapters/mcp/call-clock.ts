/** How long a call may take, in milliseconds. */
export interface CallTimes {
  /** Without a word of the server. */
  readonly quietMs: number;
  /** In all, however often it says how far it is. */
  readonly totalMs: number;
}

/** The time of one call; it stands still while its server waits for the user. */
export interface CallClock {
  /** The server said how far it is. */
  readonly heard: () => void;
  /** The server waits for the user; returns how to say that the wait is over. */
  readonly pause: () => () => void;
  readonly end: () => void;
}

/** Starts the clock; `onOver` is called once when the time is up. */
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
      // Nothing starts it again: whoever still waits says so to a clock that is over.
      waits = Infinity;
      stop();
    },
  };
}
