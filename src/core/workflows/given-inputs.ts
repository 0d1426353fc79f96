import { appError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { WorkflowDefinition } from '#shared/workflow';
import type { HostToolContext } from '../ports/host-tool';
import { checkInputs } from './check-inputs';
import { failingPreconditions, type WorkflowWorld } from './conditions';
import { refusedInputs } from './workflow-desk';

/**
 * Where nobody can be asked, what is given with the call are the user's own answers (`--approve all`); null: there are none.
 * HOST/INVALID_INPUT for answers that are not right, HOST/STATE for a precondition they do not meet: then nothing starts.
 */
export function inputsWithTheCall(
  world: WorkflowWorld,
  session: SessionState,
  definition: WorkflowDefinition,
  { approve, inputs }: Pick<HostToolContext, 'approve'> & { readonly inputs?: JsonObject | undefined },
): Result<JsonObject | null> {
  if (approve !== 'all' || inputs === undefined) return ok(null);
  const checked = checkInputs(definition, inputs, { world, project: session.project });
  if (!checked.ok) return err(refusedInputs(checked.error));
  const failing = failingPreconditions(world, session, definition, checked.value);
  if (failing.length === 0) return ok(checked.value);
  const message = `‘${definition.WorkflowId}’ cannot start. ${failing.join(' ')}`;
  return err(appError('HOST', 'STATE', message, { hint: 'Give other inputs, or correct this first.' }));
}
