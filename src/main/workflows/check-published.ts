import { appError, type AppError, type ConfigProblem } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { WorkflowStore } from '../ports/workflow-store';

/** Published definitions that do not hold, as CONFIG/INVALID with file, field and reason of each. */
export const brokenPublished = (problems: readonly ConfigProblem[]): AppError =>
  appError('CONFIG', 'INVALID', 'A published workflow is not valid.', { problems: [...problems] });

/** Stops the start for a published definition that does not hold (TUL-006 §8.1): CONFIG/INVALID with file, field and reason. */
export function checkPublished(store: Pick<WorkflowStore, 'published'>): Result<null> {
  const published = store.published();
  if (!published.ok) return published;
  const { problems } = published.value;
  return problems.length === 0 ? ok(null) : err(brokenPublished(problems));
}
