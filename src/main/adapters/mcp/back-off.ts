/** The first failed start is tried again at the next use; from then on each one doubles the wait. */
const firstMs = 1_000;
const longestMs = 60_000;

/** When a server that does not start may be tried again. Milliseconds, on a clock that never goes back. */
export interface BackOff {
  /** How long it is to be left alone; 0: it may be started. */
  readonly waitMs: () => number;
  /** `askedMs`: how long the server itself asked to be left alone. */
  readonly failed: (askedMs?: number) => void;
  readonly worked: () => void;
}

export function createBackOff(now: () => number): BackOff {
  let failures = 0;
  let until = 0;
  return {
    waitMs: () => Math.max(0, until - now()),
    failed(askedMs = 0) {
      failures += 1;
      const own = failures > 1 ? Math.min(longestMs, firstMs * 2 ** (failures - 2)) : 0;
      until = now() + Math.max(own, askedMs);
    },
    worked() {
      failures = 0;
      until = 0;
    },
  };
}
