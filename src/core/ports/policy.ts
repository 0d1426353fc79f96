import type { Budgets } from '#shared/budgets';
import type { Result } from '#shared/result';
import type { Capabilities } from '#shared/capabilities';

/**
 * A project's capabilities and run budgets, reread for each run; an invalid file is
 * CONFIG/INVALID and stops the run.
 */
export interface PolicyFiles {
  capabilities(project: string): Result<Capabilities>;
  budgets(project: string): Result<Budgets>;
}

/** Changes a project's capabilities; only for the window's settings, on an explicit user action. */
export interface PolicyWriter {
  /** Replaces a project's whole manifest; HOST/STORAGE when it cannot be written. */
  saveCapabilities(project: string, capabilities: Capabilities): Result<null>;
}
