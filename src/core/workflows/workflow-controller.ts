import { appError, type AppError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';
import type { WorkflowChoice, WorkflowErrorKind } from '#shared/workflow-event';
import type { WorkflowRun } from '#shared/workflow-state';
import type { SessionLog } from '../session/session-log';
import { checkInputs } from './check-inputs';
import { failingPreconditions, type PreconditionContext } from './conditions';

export interface WorkflowControllerDeps {
  readonly log: SessionLog;
  readonly preconditionContext: PreconditionContext;
  /** Lets the model answer a recorded line that has no answer yet; false when it has one. */
  readonly resume: (place: { readonly sessionId: string; readonly turn: number }) => boolean;
}

/** A violation or failure in a workflow, to record and show. */
export interface RaisedError {
  readonly workflowId: string;
  readonly kind: WorkflowErrorKind;
  readonly message: string;
  readonly halts?: boolean;
  readonly tool?: string;
  readonly error?: AppError;
}

/** The user's control of a running workflow, from the window and the terminal. */
export type WorkflowController = ReturnType<typeof createWorkflowController>;

const errNotRunning = appError('HOST', 'STATE', 'No workflow is running in this session.');

/** The error for invalid answers, with one problem per input name. */
export function refusedInputs(
  problems: readonly { readonly name: string; readonly message: string }[],
): AppError {
  const [first] = problems;
  const message =
    problems.length === 1 && first ? `${first.name}: ${first.message}` : 'Some answers are not right yet.';
  const rows = problems.map(({ name, message: reason }) => ({
    file: '',
    field: name,
    rule: 'input',
    reason,
  }));
  return appError('HOST', 'INVALID_INPUT', message, { problems: rows });
}

/** The fact that records an error; without a running workflow, it has no run id. */
export function errorFact(
  workflow: WorkflowRun | null,
  turn: number | null,
  { halts = false, ...raised }: RaisedError,
): SessionFact {
  return {
    type: 'workflow-error-raised',
    turn,
    halts,
    ...raised,
    ...(workflow && { workflowRunId: workflow.workflowRunId }),
  };
}

/** The last line of a session, which shows the user's actions outside a line. */
const lastTurn = (state: SessionState): number | null => (state.head === -1 ? null : state.head);

interface Running {
  readonly state: SessionState;
  readonly run: WorkflowRun;
}

/** The running workflow of a writable session. */
function running(log: SessionLog, sessionId: string): Result<Running> {
  const opened = log.open(sessionId);
  if (!opened.ok) return opened;
  const { state, readOnly } = opened.value;
  if (readOnly) return err(readOnly);
  return state.workflow ? ok({ state, run: state.workflow }) : err(errNotRunning);
}

function untilInputsGiven(log: SessionLog, sessionId: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const complete = (confirmed: boolean): void => {
      unsubscribe();
      signal.removeEventListener('abort', abort);
      resolve(confirmed);
    };
    const abort = (): void => complete(false);
    const unsubscribe = log.subscribe((events, id) => {
      if (id !== sessionId) return;
      if (events.some(({ type }) => type === 'workflow-inputs-given')) complete(true);
      else if (events.some(({ type }) => type === 'workflow-ended')) complete(false);
    });
    // The inputs may have been given before this wait began.
    const now = log.state(sessionId)?.workflow;
    if (signal.aborted || !now) abort();
    else if (now.inputs !== null) complete(true);
    else signal.addEventListener('abort', abort, { once: true });
  });
}

export function createWorkflowController({ log, preconditionContext, resume }: WorkflowControllerDeps) {
  const record = (sessionId: string, facts: readonly SessionFact[]): Result<null> => {
    const appended = log.append(sessionId, facts);
    return appended.ok ? ok(null) : appended;
  };

  const giveInputs = (sessionId: string, entered: JsonObject): Result<null> => {
    const found = running(log, sessionId);
    if (!found.ok) return found;
    const { state, run } = found.value;
    const { definition, workflowRunId } = run;
    const inputs = checkInputs(definition, entered, { preconditionContext, project: state.project });
    if (!inputs.ok) return err(refusedInputs(inputs.error));
    const turn = lastTurn(state);
    const failing = failingPreconditions(preconditionContext, state, definition, inputs.value);
    const stopped = {
      workflowId: definition.WorkflowId,
      kind: 'precondition-failed' as const,
      halts: true,
      message: failing.join(' '),
    };
    const recorded = record(sessionId, [
      { type: 'workflow-inputs-given', workflowRunId, turn, inputs: inputs.value },
      ...(failing.length > 0 ? [errorFact(run, turn, stopped)] : []),
    ]);
    // The line of the user's own start command has no answer yet, so the model begins now.
    if (recorded.ok && turn !== null && run.inputs === null) resume({ sessionId, turn });
    return recorded;
  };

  const cancel = (sessionId: string): Result<null> => {
    const found = running(log, sessionId);
    if (!found.ok) return found;
    const { state, run } = found.value;
    const { workflowRunId } = run;
    const ended = { outcome: 'cancelled' as const, summary: 'Cancelled by you.', by: 'user' as const };
    return record(sessionId, [{ type: 'workflow-ended', workflowRunId, turn: lastTurn(state), ...ended }]);
  };

  return {
    /** Records the user's answers to RequiredInputs; HOST/INVALID_INPUT with a problem for each invalid one. */
    giveInputs,
    cancel,
    /** Records the user's choice after an error that stopped the workflow. */
    choose(sessionId: string, choice: WorkflowChoice): Result<null> {
      const found = running(log, sessionId);
      if (!found.ok) return found;
      const { state, run } = found.value;
      if (!run.halted) return err(appError('HOST', 'STATE', 'The workflow is not stopped.'));
      const { workflowRunId } = run;
      const answered = record(sessionId, [
        { type: 'workflow-error-answered', workflowRunId, turn: lastTurn(state), choice },
      ]);
      return answered.ok && choice === 'cancel' ? cancel(sessionId) : answered;
    },
    raise(sessionId: string, turn: number | null, raised: RaisedError): void {
      const state = log.state(sessionId);
      if (state) record(sessionId, [errorFact(state.workflow, turn, raised)]);
    },
    /**
     * Resolves to true when the user has given the inputs, or to false when the workflow ends or the wait is
     * aborted.
     */
    inputsGiven: (sessionId: string, signal: AbortSignal): Promise<boolean> =>
      untilInputsGiven(log, sessionId, signal),
  };
}
