import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { editDocument, type Desk } from './operation';

/**
 * Writes into a design record which definition of a workflow it stands for (TUL-006 §8.8); null takes it out. The text that
 * was approved stays as it is, and so does its approval. Only a person's publication leads here.
 */
export async function recordWorkflow(
  desk: Desk,
  ddrId: string,
  workflow: { readonly id: string; readonly hash: string | null },
): Promise<Result<null>> {
  const done = await editDocument(desk, ddrId, ({ known }) => {
    const { [workflow.id]: _before, ...others } = known.workflows ?? {};
    const workflows = workflow.hash === null ? others : { ...others, [workflow.id]: workflow.hash };
    return ok({ change: { keys: { workflows } } });
  });
  return done.ok ? ok(null) : err(appError('HOST', 'STATE', done.error.message));
}
