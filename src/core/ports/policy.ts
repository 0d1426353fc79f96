import type { Budgets } from '#shared/budgets';
import type { Result } from '#shared/result';
import type { Capabilities } from '#shared/capabilities';

/** What a project allows and what its runs may spend, read anew at each run; an invalid file is CONFIG/INVALID and stops the run. */
export interface PolicyFiles {
  capabilities(project: string): Result<Capabilities>;
  budgets(project: string): Result<Budgets>;
}

/** Who may change what a project allows: the window's settings, on the user's own word. */
export interface PolicyWriter {
  /** Replaces a project's manifest as a whole; HOST/STORAGE when it cannot be written. */
  saveCapabilities(project: string, capabilities: Capabilities): Result<null>;
}
