import { appError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { err, ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { ModelQuestions } from '../control-plane/model-questions';
import type { HostTool } from '../ports/host-tool';
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
      const { sessionId, turn } = context;
      const state = sessionId === null ? null : log.state(sessionId);
      if (sessionId === null || !state) {
        return err(
          appError('HOST', 'STATE', 'There is no session whose user could be asked.', { tool: approvalTool }),
        );
      }
      const given = JSON.parse(argumentsJson) as Wanted;
      const tool = given.tool === undefined ? undefined : toolName(sessionId, given.tool);
      const wanted: Wanted = { ...given, ...(tool !== undefined && { tool }) };
      const { action, arguments: args = {} } = wanted;
      const hash = tool === undefined ? undefined : canonicalHash({ tool, arguments: args });
      const record = (approved: boolean): readonly SessionFact[] => {
        if (!state.workflow) return [];
        const { workflowRunId } = state.workflow;
        const about = { action, ...(tool !== undefined && { tool }), ...(hash !== undefined && { hash }) };
        return [
          { type: 'workflow-approval-answered', workflowRunId, turn, approval: { ...about, approved } },
        ];
      };
      const detail = shown(wanted);
      const answer = await questions.ask(
        context,
        {
          ...{ text: action, options: [yes, 'Do not approve'], mode: world.modeOf(state).key },
          focusId: state.context?.entityHeader?.id ?? null,
          ...(detail !== '' && { detail }),
        },
        (option) => ok({ facts: record(option === yes) }),
      );
      if (!answer.ok) return answer;
      const approved = answer.value === yes;
      return ok(JSON.stringify({ approved, ...(!approved && { reason: 'The user did not approve it.' }) }));
    },
  };
}
