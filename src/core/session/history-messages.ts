import { offlineProviderId } from '#shared/model';
import type { RunState, SessionState, Turn } from '#shared/session-state';
import type { ModelMessage } from '../ports/llm';

/** What a run contributes to later Ask turns: its answer, or how it ended. */
function runContent(run: RunState): string {
  if (run.answer) return run.answer;
  const reason = run.error ? `: ${run.error.message}` : '';
  return `(The run ended as ${run.status}${reason}.)`;
}

/** A line the router dealt with is no part of the talk: what it changed stands in the system message. */
const dealtWith = (turn: Turn): boolean => turn.route !== undefined && !turn.reply && !turn.run;

/** A model's own words. What the offline provider wrote is Patina's text, no part of the talk: the user's line stands alone. */
const replyContent = ({ model, reply }: Turn): string =>
  model.providerId === offlineProviderId ? '' : (reply?.text ?? '');

function turnMessages(turn: Turn): readonly ModelMessage[] {
  if (dealtWith(turn)) return [];
  const user: ModelMessage = { role: 'user', content: turn.text };
  const content = turn.run ? runContent(turn.run) : replyContent(turn);
  return content === '' ? [user] : [user, { role: 'assistant', content }];
}

/**
 * The conversation before `turn`, and that turn's own line last. Nothing is left out or shortened:
 * a conversation longer than the model's context is the provider's LLM/CONTEXT_LIMIT, shown to the user. Pure.
 */
export function historyMessages(state: SessionState, turn: number): readonly ModelMessage[] {
  const turns = state.blocks.flat().filter((candidate) => candidate.turn <= turn);
  return turns.flatMap((each) =>
    each.turn === turn ? [{ role: 'user' as const, content: each.text }] : turnMessages(each),
  );
}
