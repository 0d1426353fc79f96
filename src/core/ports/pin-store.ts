import type { Result } from '#shared/result';
import type { ToolPin } from '#shared/tool-pin';

/** Where the definitions are kept that tools are held to, for every process of this home. Errors: HOST/STORAGE. */
export interface PinStore {
  list(): Result<readonly ToolPin[]>;
  /** Adds or replaces; all of them, or none. */
  put(pins: readonly ToolPin[]): Result<null>;
  /** Forgets what is known of a server's tools. */
  forget(server: string): Result<null>;
}
