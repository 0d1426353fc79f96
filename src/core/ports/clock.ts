/** Milliseconds: `now` since the epoch, for display; `elapsed` on a monotonic clock, for durations. */
export interface Clock {
  now(): number;
  elapsed(): number;
  /**
   * Calls back once after `ms`; returns a cancel function. With `blocksExit` the timer
   * keeps the process running.
   */
  after(ms: number, call: () => void, blocksExit?: boolean): () => void;
}
