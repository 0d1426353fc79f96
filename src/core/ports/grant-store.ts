import type { Grant } from '#shared/grant';
import type { Result } from '#shared/result';

/** Where standing answers are kept, for every process of this home. Errors: HOST/STORAGE, HOST/NOT_FOUND. */
export interface GrantStore {
  /** The newest first. */
  list(): Result<readonly Grant[]>;
  /** All of them, or none. */
  add(grants: readonly Grant[]): Result<null>;
  /** All of them, or none: HOST/NOT_FOUND when one is not there. */
  remove(ids: readonly string[]): Result<null>;
}
