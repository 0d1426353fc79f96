/** Resources counted against a run's budgets since it began or was last resumed. */
export interface RunSpent {
  /** Start of the run's clock, in milliseconds since the epoch. */
  readonly since: number;
  readonly calls: number;
  readonly tokens: number;
  /** Milliseconds spent waiting for the user, which do not count. */
  readonly waitedMs: number;
  /** When the current wait for the user began. */
  readonly waitingSince?: number;
}

export const zeroSpent = (since: number): RunSpent => ({ since, calls: 0, tokens: 0, waitedMs: 0 });

/** Milliseconds that a run has worked, without the time spent waiting for the user. */
export function workedMs(spent: RunSpent, until: number): number {
  const waiting = spent.waitingSince === undefined ? 0 : until - spent.waitingSince;
  return Math.max(0, until - spent.since - spent.waitedMs - waiting);
}
