import type { BudgetChange, Budgets, BudgetSettings } from '#shared/budgets';
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

/** Changes a project's capabilities and budgets; only for the window's settings, on an explicit user action. */
export interface PolicyWriter {
  /** Replaces a project's whole manifest; HOST/STORAGE when it cannot be written. */
  saveCapabilities(project: string, capabilities: Capabilities): Result<null>;
  budgetSettings(project: string): Result<BudgetSettings>;
  /**
   * Changes one limit in a project's file and leaves the others as they are on disk. CONFIG/INVALID when the file
   * or the value is not valid, HOST/STORAGE when it cannot be written.
   */
  setBudget(project: string, change: BudgetChange): Result<BudgetSettings>;
}
