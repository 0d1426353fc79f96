import type { Result } from '#shared/result';
import type { ModelSpent } from '#shared/spent';

/** What a row of spent tokens is summed over; `key` is the day (`YYYY-MM-DD`), the session or nothing. */
export type UsageGroup = 'day' | 'session' | 'model';

export interface SpentRow extends ModelSpent {
  readonly key: string;
}

/** The tokens of all model calls, by local day. */
export interface UsageStore {
  /** The calls from one day to another, both included; a deleted session has an empty key. */
  spent(group: UsageGroup, from: string, to: string): Result<readonly SpentRow[]>;
}
