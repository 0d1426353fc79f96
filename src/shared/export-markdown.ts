import type { SessionState, Turn } from './session-state';

function answerOf(turn: Turn): string {
  if (turn.run) return turn.run.answer ?? `(${turn.run.status})`;
  if (!turn.reply) return '(no reply)';
  const note =
    turn.reply.status === 'done'
      ? ''
      : `\n\n(${turn.reply.status}${turn.reply.error ? `: ${turn.reply.error.message}` : ''})`;
  return `${turn.reply.text}${note}`;
}

/** A session as a document: who said what, in order, with what the run did. Pure. */
export function exportMarkdown(state: SessionState): string {
  const turns = state.blocks.flat().map((turn) => {
    const who = turn.run ? 'Patina (Agent Mode)' : (turn.reply?.providerName ?? 'Patina');
    return `## You\n\n${turn.text}\n\n## ${who}\n\n${answerOf(turn)}`;
  });
  return [`# ${state.title || 'Untitled'}`, ...turns].join('\n\n');
}
