/** Milliseconds since the epoch (`now`, for people) and since some start that never goes back (`elapsed`, for durations). */
export interface Clock {
  now(): number;
  elapsed(): number;
  /** Calls back once after `ms`; returns the way to call it off. With `keepAlive` the process does not end before. */
  after(ms: number, call: () => void, keepAlive?: boolean): () => void;
}
