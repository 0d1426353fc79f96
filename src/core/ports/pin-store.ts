import type { Result } from '#shared/result';
import type { ToolPin } from '#shared/tool-pin';

/** Pinned tool definitions, shared by every process of this home folder. Errors: HOST/STORAGE. */
export interface PinStore {
  list(): Result<readonly ToolPin[]>;
  /** Adds or replaces all pins, or none. */
  put(pins: readonly ToolPin[]): Result<null>;
  /** Removes all pins of a server's tools. */
  forget(server: string): Result<null>;
}
