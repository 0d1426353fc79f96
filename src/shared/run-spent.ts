/** What counts against a run's budgets, since it began or last went on. */
export interface RunSpent {
  /** Milliseconds since the epoch; its clock runs from here. */
  readonly since: number;
  readonly calls: number;
  readonly tokens: number;
  /** Milliseconds in which a person was waited for: they cost nothing. */
  readonly waitedMs: number;
  /** A person is being waited for, from then on. */
  readonly waitingSince?: number;
}

export const zeroSpent = (since: number): RunSpent => ({ since, calls: 0, tokens: 0, waitedMs: 0 });

/** Milliseconds a run has worked: not those in which a person was waited for. */
export function workedMs(spent: RunSpent, until: number): number {
  const waiting = spent.waitingSince === undefined ? 0 : until - spent.waitingSince;
  return Math.max(0, until - spent.since - spent.waitedMs - waiting);
}
