import type { Grant } from '#shared/grant';
import type { Result } from '#shared/result';

/** Saved permissions, shared by every process of this home folder. Errors: HOST/STORAGE, HOST/NOT_FOUND. */
export interface GrantStore {
  /** Newest first. */
  list(): Result<readonly Grant[]>;
  /** Adds all or none. */
  add(grants: readonly Grant[]): Result<null>;
  /** Removes all or none; HOST/NOT_FOUND when one does not exist. */
  remove(ids: readonly string[]): Result<null>;
}
