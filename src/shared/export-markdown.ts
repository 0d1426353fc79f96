import type { EventGap, SessionState, Turn } from './session-state';
import { activePath } from './turn-tree';

/** What a turn was answered with, and how it ended where it is not done. */
export function answerOf(turn: Turn): string {
  if (turn.run) return turn.run.answer ?? `(${turn.run.status})`;
  if (!turn.reply) return '(no reply)';
  const note =
    turn.reply.status === 'done'
      ? ''
      : `\n\n(${turn.reply.status}${turn.reply.error ? `: ${turn.reply.error.message}` : ''})`;
  return `${turn.reply.text}${note}`;
}

const gapNote = ({ fromSeq, toSeq }: EventGap): string =>
  fromSeq === toSeq
    ? `> Event ${fromSeq} could not be read.`
    : `> Events ${fromSeq} to ${toSeq} could not be read.`;

/** Says which of several branches the document contains. */
const branchNote = (path: readonly Turn[]): string =>
  `> One of several branches: turns ${path.map(({ turn }) => turn + 1).join(', ')} (counted from 1).`;

/** What was attached to a line, one item a line; a name is untrusted and stays in its code span. */
function attachedNote({ items = [] }: Turn): string {
  const rows = items.map(({ ref, kind, bytes }) => {
    const name = ref.replace(/[`\p{Cc}\s]+/gu, ' ').trim();
    return `- Attached: \`${name}\` (${kind}, ${bytes} bytes)`;
  });
  return rows.length === 0 ? '' : `\n\n${rows.join('\n')}`;
}

/** Formats the active path of a session as Markdown: messages and answers in order, with the outcome of each run. Pure. */
export function exportMarkdown(state: SessionState): string {
  const gapsAt = (turn: number) => (state.gaps ?? []).filter((gap) => gap.turn === turn).map(gapNote);
  const path = activePath(state);
  const turns = path.flatMap((turn) => {
    const who = turn.run ? 'Patina (Agent Mode)' : turn.reply?.providerName || 'Patina';
    const conversation = `## You\n\n${turn.text}${attachedNote(turn)}\n\n## ${who}\n\n${answerOf(turn)}`;
    return [conversation, ...gapsAt(turn.turn)];
  });
  const branches = path.length < state.turnCount ? [branchNote(path)] : [];
  return [`# ${state.title || 'Untitled'}`, ...branches, ...gapsAt(-1), ...turns].join('\n\n');
}
