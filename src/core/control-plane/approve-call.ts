import { ok } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { Ids } from '../ports/ids';
import type { AskForCall } from '../session/model-tools';
import type { ModelLine } from '../session/session-line';
import { canonicalHash } from '../tools/canonical-hash';
import type { ModelQuestions } from './model-questions';

export interface ApproveCallDeps {
  readonly questions: ModelQuestions;
  readonly ids: Ids;
  /** The key of a session's mode. */
  readonly modeOf: (state: SessionState) => { readonly key: string };
}

const yes = 'Approve';

/**
 * Asks the user to approve a write that the model calls in Ask, on a separate card with the tool and its
 * exact arguments.
 */
export function createApproveCall({ questions, ids, modeOf }: ApproveCallDeps) {
  return ({ sessionId, turn }: ModelLine, state: SessionState, signal: AbortSignal): AskForCall =>
    async (tool, args) => {
      const callId = ids.next('call');
      const answer = await questions.ask(
        { sessionId, turn, callId, cause: { toolCallId: callId }, actor: 'model', approve: 'ask', signal },
        {
          text: `The model wants to call ${tool}. It may change something.`,
          call: { tool, arguments: args, hash: canonicalHash({ tool, arguments: args }) },
          options: [yes, 'Do not approve'],
          mode: modeOf(state).key,
          focusId: state.context?.entityHeader?.id ?? null,
        },
        () => ok({ facts: [] }),
      );
      return answer.ok ? ok(answer.value === yes) : answer;
    };
}
