import { offlineProviderId } from '#shared/model';
import type { RunState, SessionState, Turn } from '#shared/session-state';
import type { EarlierTurn } from '../ports/agent';
import type { ModelMessage } from '../ports/llm';

/** The text that a run contributes to later Ask turns: its answer, or its status. */
function runContent(run: RunState): string {
  if (run.answer) return run.answer;
  const reason = run.error ? `: ${run.error.message}` : '';
  return `(The run ended as ${run.status}${reason}.)`;
}

/** Lines handled by the router are not part of the conversation; the system message shows their effects. */
const dealtWith = (turn: Turn): boolean => turn.route !== undefined && !turn.reply && !turn.run;

/**
 * The model's own text. The offline provider's text comes from Patina and is not part of the conversation, so
 * the user's line has no reply.
 */
const replyContent = ({ model, reply }: Turn): string =>
  model.providerId === offlineProviderId ? '' : (reply?.text ?? '');

const answerOf = (turn: Turn): string => (turn.run ? runContent(turn.run) : replyContent(turn));

function turnMessages(turn: Turn): readonly ModelMessage[] {
  if (dealtWith(turn)) return [];
  const user: ModelMessage = { role: 'user', content: turn.text };
  const content = answerOf(turn);
  return content === '' ? [user] : [user, { role: 'assistant', content }];
}

/** The conversation before `turn` for a planning call; a run's list of writes is in its state. Pure. */
export function turnsBefore(state: SessionState, turn: number): readonly EarlierTurn[] {
  const turns = state.blocks.flat().filter((each) => each.turn < turn && !dealtWith(each));
  return turns.map((each) => {
    const { run } = each;
    const answer = answerOf(each).slice(0, run?.writesFrom).trim();
    return { line: each.text, answer, ...(run && { run }) };
  });
}

/**
 * The conversation before `turn`, followed by that turn's own line. Nothing is omitted or shortened: when a
 * conversation exceeds the model's context, the provider's LLM/CONTEXT_LIMIT is shown to the user. Pure.
 */
export function historyMessages(state: SessionState, turn: number): readonly ModelMessage[] {
  const turns = state.blocks.flat().filter((candidate) => candidate.turn <= turn);
  return turns.flatMap((each) =>
    each.turn === turn ? [{ role: 'user' as const, content: each.text }] : turnMessages(each),
  );
}
