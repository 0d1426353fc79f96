import type { Budgets } from '#shared/budgets';
import type { Result } from '#shared/result';
import type { Capabilities } from '#shared/capabilities';

/** What a project allows and what its runs may spend, read anew at each run; an invalid file is CONFIG/INVALID and stops the run. */
export interface PolicyFiles {
  capabilities(project: string): Result<Capabilities>;
  budgets(project: string): Result<Budgets>;
}
