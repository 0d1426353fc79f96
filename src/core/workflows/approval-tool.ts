import { appError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { QuestionCall } from '#shared/question-call';
import type { QuestionState, SessionState } from '#shared/session-state';
import type { WorkflowRun } from '#shared/workflow-state';
import type { AnswerEffect, ModelQuestions, CardAnswer } from '../control-plane/model-questions';
import type { BuiltInTool, BuiltInToolContext } from '../ports/built-in-tool';
import type { SessionLog } from '../session/session-log';
import { canonicalHash } from '../tools/canonical-hash';
import type { PreconditionContext } from './conditions';
import { isApproved } from './guard';

export const approvalTool = 'request_user_approval';

export interface ApprovalDeps {
  readonly log: SessionLog;
  readonly preconditionContext: PreconditionContext;
  readonly questions: ModelQuestions;
  /** Maps the name that a model calls to the tool's own name. */
  readonly toolName: (sessionId: string, called: string) => string;
}

interface Wanted {
  readonly action: string;
  readonly tool?: string;
  readonly arguments?: JsonObject;
}

const yes = 'Approve';

interface ApprovalRequest {
  readonly context: BuiltInToolContext;
  readonly state: SessionState;
  readonly run: WorkflowRun;
  readonly wanted: Wanted;
}

/** Approvals are stored under the tool's own name, whatever name the model uses. */
function readWanted(argumentsJson: string, ownName: (called: string) => string): Wanted {
  const args = JSON.parse(argumentsJson) as Wanted;
  return args.tool === undefined ? args : { ...args, tool: ownName(args.tool) };
}

/** The exact call (TUL-006 §7.7), bound to the workflow that asks for approval. */
function callOf(
  { tool, arguments: args = {} }: Wanted,
  { workflowRunId }: WorkflowRun,
): QuestionCall | undefined {
  if (tool === undefined) return undefined;
  const hash = canonicalHash({ tool, arguments: args });
  return { tool, arguments: args, hash, workflowRunId };
}

interface Answer {
  readonly turn: number | null;
  readonly action: string;
  readonly call: QuestionCall | undefined;
  readonly approved: boolean;
}

/** The fact that records the answer in the workflow. */
function answerFacts(run: WorkflowRun, answer: Answer): readonly SessionFact[] {
  const { turn, action, call, approved } = answer;
  const approval = { action, ...(call && { tool: call.tool, hash: call.hash }), approved };
  return [{ type: 'workflow-approval-answered', workflowRunId: run.workflowRunId, turn, approval }];
}

const errWorkflowEnded = appError(
  'HOST',
  'STATE',
  'The workflow that asked for this is over, so nothing was approved.',
);
const errNothingToApprove = appError(
  'HOST',
  'STATE',
  'No workflow is running, so there is nothing to approve.',
  {
    tool: approvalTool,
    hint: 'Call the tool itself: Patina asks the user where a call needs a yes.',
  },
);
const continueLine = 'Continue with what I answered.';

/**
 * Answers an approval card whose call died with its process. The answer applies to the same call by the same
 * hash, in the same workflow, and the model continues with it. HOST/STATE when that workflow has ended.
 */
export function answerOrphanedApproval(
  { workflow }: SessionState,
  { text: action, call }: QuestionState,
  { option, turn }: CardAnswer,
): Result<AnswerEffect> {
  if (!call || !workflow || call.workflowRunId !== workflow.workflowRunId) return err(errWorkflowEnded);
  return ok({
    facts: answerFacts(workflow, { turn, action, call, approved: option === yes }),
    line: continueLine,
  });
}

/** Asks the user on a card; the answer and its record are one commit. */
async function askUser(
  { preconditionContext, questions }: Pick<ApprovalDeps, 'preconditionContext' | 'questions'>,
  request: ApprovalRequest,
): Promise<Result<boolean>> {
  const { context, state, run, wanted } = request;
  const { action } = wanted;
  const { turn } = context;
  const call = callOf(wanted, run);
  const answer = await questions.ask(
    context,
    {
      text: wanted.action,
      options: [yes, 'Do not approve'],
      mode: preconditionContext.modeOf(state).key,
      focusId: state.context?.entityHeader?.id ?? null,
      ...(call && { call }),
    },
    (option) => ok({ facts: answerFacts(run, { turn, action, call, approved: option === yes }) }),
  );
  if (!answer.ok) return answer;
  return answer.value === null ? err(errWorkflowEnded) : ok(answer.value === yes);
}

/** Whether an unused approval of exactly this call exists, so that the user is not asked twice. */
function isAlreadyApproved(run: WorkflowRun, wanted: Wanted): boolean {
  const hash = callOf(wanted, run)?.hash;
  return hash !== undefined && isApproved(run, hash);
}

const replyJson = (approved: boolean): string =>
  JSON.stringify({ approved, ...(!approved && { reason: 'The user did not approve it.' }) });

/**
 * `request_user_approval {action, tool?, arguments?}`: a yes approves exactly that call and is used up by the
 * call.
 */
export function createApprovalTool({
  log,
  preconditionContext,
  questions,
  toolName,
}: ApprovalDeps): BuiltInTool {
  return {
    name: approvalTool,
    isToolFullyExecutedOnServer: true,
    alwaysOffered: true,
    needsSession: true,
    toolUsageMetadata:
      'Asks the user to approve one action before you take it: required in a workflow for everything that writes, deletes, overwrites, publishes or modifies. Give the tool and the exact arguments of the call you will make; the approval is for that call only and is used once.',
    schema: {
      type: 'object',
      properties: {
        action: { type: 'string', description: 'What will happen, in one sentence the user reads.' },
        tool: { type: 'string', description: 'The tool that will be called.' },
        arguments: { type: 'object', description: 'Its arguments, exactly as they will be given.' },
      },
      required: ['action'],
      additionalProperties: false,
    },
    async execute(argumentsJson, context) {
      const { sessionId } = context;
      const state = sessionId === null ? null : log.state(sessionId);
      if (sessionId === null || !state) {
        return err(
          appError('HOST', 'STATE', 'There is no session whose user could be asked.', { tool: approvalTool }),
        );
      }
      const { workflow: run } = state;
      if (!run) return err(errNothingToApprove);
      const wanted = readWanted(argumentsJson, (called) => toolName(sessionId, called));
      if (isAlreadyApproved(run, wanted)) return ok(replyJson(true));
      const approved = await askUser({ preconditionContext, questions }, { context, state, run, wanted });
      return approved.ok ? ok(replyJson(approved.value)) : approved;
    },
  };
}
