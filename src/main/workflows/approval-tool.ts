import { appError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';
import type { ModelQuestions } from '../control-plane/model-questions';
import type { HostTool, HostToolContext } from '../ports/host-tool';
import type { SessionLog } from '../session/session-log';
import { canonicalHash } from '../tools/canonical-hash';
import type { WorkflowWorld } from './conditions';

export const approvalTool = 'request_user_approval';

export interface ApprovalDeps {
  readonly log: SessionLog;
  readonly world: WorkflowWorld;
  readonly questions: ModelQuestions;
  /** The tool's own name for one a model calls by another. */
  readonly toolName: (sessionId: string, called: string) => string;
}

interface Wanted {
  readonly action: string;
  readonly tool?: string;
  readonly arguments?: JsonObject;
}

const yes = 'Approve';

/** The exact call, as data (TUL-006 §7.7). */
const shown = ({ tool, arguments: args }: Wanted): string =>
  tool === undefined ? '' : `${tool}\n${JSON.stringify(args ?? {}, null, 2)}`;

interface Asking {
  readonly context: HostToolContext;
  readonly state: SessionState;
  readonly wanted: Wanted;
}

/** A yes is kept for the tool by its own name, whatever the model calls it. */
function readWanted(argumentsJson: string, ownName: (called: string) => string): Wanted {
  const given = JSON.parse(argumentsJson) as Wanted;
  return given.tool === undefined ? given : { ...given, tool: ownName(given.tool) };
}

/** The answer for the record of the workflow; outside of one there is nothing it could allow. */
function answerFacts({ context, state, wanted }: Asking, approved: boolean): readonly SessionFact[] {
  if (!state.workflow) return [];
  const { workflowRunId } = state.workflow;
  const { action, tool, arguments: args = {} } = wanted;
  const call = tool === undefined ? {} : { tool, hash: canonicalHash({ tool, arguments: args }) };
  const approval = { action, ...call, approved };
  return [{ type: 'workflow-approval-answered', workflowRunId, turn: context.turn, approval }];
}

/** The user's card; the answer and its record are one commit. */
async function askUser(
  { world, questions }: Pick<ApprovalDeps, 'world' | 'questions'>,
  asking: Asking,
): Promise<Result<boolean>> {
  const { context, state, wanted } = asking;
  const detail = shown(wanted);
  const answer = await questions.ask(
    context,
    {
      ...{ text: wanted.action, options: [yes, 'Do not approve'], mode: world.modeOf(state).key },
      focusId: state.context?.entityHeader?.id ?? null,
      ...(detail !== '' && { detail }),
    },
    (option) => ok({ facts: answerFacts(asking, option === yes) }),
  );
  return answer.ok ? ok(answer.value === yes) : answer;
}

const told = (approved: boolean): string =>
  JSON.stringify({ approved, ...(!approved && { reason: 'The user did not approve it.' }) });

/** `request_user_approval {action, tool?, arguments?}`: a yes is for exactly that call, and is used up by it. */
export function createApprovalTool({ log, world, questions, toolName }: ApprovalDeps): HostTool {
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
      const wanted = readWanted(argumentsJson, (called) => toolName(sessionId, called));
      const approved = await askUser({ world, questions }, { context, state, wanted });
      return approved.ok ? ok(told(approved.value)) : approved;
    },
  };
}
