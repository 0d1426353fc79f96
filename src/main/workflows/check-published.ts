import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { WorkflowStore } from '../ports/workflow-store';

/** Stops the start for a published definition that does not hold (TUL-006 §8.1): CONFIG/INVALID with file, field and reason. */
export function checkPublished(store: Pick<WorkflowStore, 'published'>): Result<null> {
  const published = store.published();
  if (!published.ok) return published;
  const { problems } = published.value;
  if (problems.length === 0) return ok(null);
  return err(
    appError('CONFIG', 'INVALID', 'A published workflow is not valid.', { problems: [...problems] }),
  );
}
