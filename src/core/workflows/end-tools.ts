import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';
import type { WorkflowOutcome } from '#shared/workflow-event';
import type { WorkflowRun } from '#shared/workflow-state';
import type { ModelQuestions } from '../control-plane/model-questions';
import type { BuiltInTool, BuiltInToolContext } from '../ports/built-in-tool';
import type { SessionLog } from '../session/session-log';
import { completionOf, type PreconditionContext } from './conditions';
import type { WorkflowController } from './workflow-controller';

export const completeTool = 'agent_complete_workflow';
export const cancelTool = 'agent_cancel_workflow';

export interface EndDeps {
  readonly log: SessionLog;
  readonly preconditionContext: PreconditionContext;
  readonly questions: ModelQuestions;
  readonly controller: WorkflowController;
}

interface Ending {
  readonly context: BuiltInToolContext;
  readonly state: SessionState;
  readonly run: WorkflowRun;
}

function running({ log }: EndDeps, context: BuiltInToolContext, tool: string): Result<Ending> {
  const state = context.sessionId === null ? null : log.state(context.sessionId);
  if (state?.workflow) return ok({ context, state, run: state.workflow });
  return err(appError('HOST', 'STATE', 'No workflow is running in this session.', { tool }));
}

function endFact({ context, run }: Ending, outcome: WorkflowOutcome, summary: string): SessionFact {
  const { turn, actor: by } = context;
  return { type: 'workflow-ended', workflowRunId: run.workflowRunId, turn, outcome, summary, by };
}

/** Asks the user; a yes and the end of the workflow are one commit. */
async function endIf(
  { questions, preconditionContext }: EndDeps,
  { state, context }: Ending,
  question: { readonly text: string; readonly detail: string; readonly yes: string; readonly no: string },
  fact: SessionFact,
): Promise<Result<boolean>> {
  const { text, detail, yes, no } = question;
  const mode = preconditionContext.modeOf(state).key;
  const focusId = state.context?.entityHeader?.id ?? null;
  const answer = await questions.ask(context, { text, detail, options: [yes, no], mode, focusId }, (option) =>
    ok({ facts: option === yes ? [fact] : [] }),
  );
  return answer.ok ? ok(answer.value === yes) : answer;
}

function notComplete(
  { controller }: EndDeps,
  { context, run }: Ending,
  unmet: readonly string[],
): Result<never> {
  const message = `The workflow is not complete: ${unmet.map((text) => text.replace(/\.$/, '')).join('; ')}.`;
  const error: AppError = appError('HOST', 'STATE', message, {
    tool: completeTool,
    hint: 'Do what is missing, or let the user cancel the workflow.',
  });
  const { WorkflowId: workflowId } = run.definition;
  controller.raise(context.sessionId ?? '', context.turn, { workflowId, kind: 'not-complete', message });
  return err(error);
}

/** The reason why a workflow cannot complete, regardless of its criteria; null when there is none. */
function completionBlocker({ inputs, halted }: WorkflowRun): string | null {
  if (inputs === null) return 'its required inputs are not given';
  return halted ? 'it is stopped by an error until the user chooses' : null;
}

async function complete(deps: EndDeps, ending: Ending, summary: string): Promise<Result<string>> {
  const { state, run, context } = ending;
  const blocker = completionBlocker(run);
  if (blocker !== null) return notComplete(deps, ending, [blocker]);
  const { unmet, toConfirm } = completionOf(deps.preconditionContext, state, run);
  if (unmet.length > 0) return notComplete(deps, ending, unmet);
  const fact = endFact(ending, 'completed', summary);
  const { Title, FollowUpOptions: followUps = [] } = run.definition;
  const completed = JSON.stringify({ completed: true, summary, followUps });
  if (toConfirm.length === 0) {
    const recorded = deps.log.append(context.sessionId ?? '', [fact]);
    return recorded.ok ? ok(completed) : recorded;
  }
  const detail = [...toConfirm.map((text) => `• ${text}`), ...(summary === '' ? [] : ['', summary])].join(
    '\n',
  );
  const question = { text: `Is “${Title}” complete?`, detail, yes: 'Yes, it is complete', no: 'Not yet' };
  const ended = await endIf(deps, ending, question, fact);
  if (!ended.ok) return ended;
  return ended.value ? ok(completed) : notComplete(deps, ending, ['the user says it is not complete yet']);
}

async function cancel(deps: EndDeps, ending: Ending, reason: string): Promise<Result<string>> {
  const { Title } = ending.run.definition;
  const fact = endFact(ending, 'cancelled', reason);
  if (ending.context.actor === 'user') {
    const recorded = deps.log.append(ending.context.sessionId ?? '', [fact]);
    return recorded.ok ? ok(JSON.stringify({ cancelled: true, summary: `Cancelled: ${Title}` })) : recorded;
  }
  const question = {
    text: `Cancel the workflow “${Title}”?`,
    detail: reason,
    yes: 'Cancel the workflow',
    no: 'Keep going',
  };
  const ended = await endIf(deps, ending, question, fact);
  if (!ended.ok) return ended;
  return ok(
    JSON.stringify({
      cancelled: ended.value,
      ...(!ended.value && { reason: 'The user wants to keep going.' }),
    }),
  );
}

function endTool(
  deps: EndDeps,
  about: Pick<BuiltInTool, 'name' | 'toolUsageMetadata'> & { readonly field: string; readonly says: string },
  end: (deps: EndDeps, ending: Ending, text: string) => Promise<Result<string>>,
): BuiltInTool {
  const { name, toolUsageMetadata, field, says } = about;
  return {
    name,
    isToolFullyExecutedOnServer: true,
    needsSession: true,
    toolUsageMetadata,
    schema: {
      type: 'object',
      properties: { [field]: { type: 'string', description: says } },
      required: [field],
      additionalProperties: false,
    },
    execute(argumentsJson, context) {
      const ending = running(deps, context, name);
      if (!ending.ok) return Promise.resolve(ending);
      const args = JSON.parse(argumentsJson) as Readonly<Record<string, string>>;
      return end(deps, ending.value, (args[field] ?? '').trim());
    },
  };
}

/**
 * The tools that end the running workflow: completed when its criteria are met (TUL-006 §6.6), cancelled when
 * the user wants it (TUL-006 §6.7).
 */
export function createEndTools(deps: EndDeps): readonly BuiltInTool[] {
  return [
    endTool(
      deps,
      {
        name: completeTool,
        toolUsageMetadata:
          'Ends the running workflow as completed. The host checks the completion criteria, and asks the user about those it cannot check; call it only when they are met, then tell the user what was achieved and offer the follow-up options it returns.',
        field: 'summary',
        says: 'What was achieved, in a few sentences for the user.',
      },
      complete,
    ),
    endTool(
      deps,
      {
        name: cancelTool,
        toolUsageMetadata:
          'Cancels the running workflow. Call it only when the user wants to stop; the user is asked.',
        field: 'reason',
        says: 'Why, in one sentence for the user.',
      },
      cancel,
    ),
  ];
}
