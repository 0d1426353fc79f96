import type { CommandState, ReplyState, RunState, SessionState, Turn } from '#shared/session-state';
import { text } from '../locales/text';

function replyChange(before: ReplyState | undefined, after: ReplyState | undefined): string | undefined {
  if (!after || after.status === before?.status) return undefined;
  const change = text(`store.reply.${after.status}`);
  return after.error ? `${change}: ${after.error.message}` : change;
}

const openApprovals = (run: RunState | undefined): number =>
  run?.approvals.filter(({ status }) => status === 'open').length ?? 0;

function runChange(before: RunState | undefined, after: RunState | undefined): string | undefined {
  if (!after || after === before) return undefined;
  if (openApprovals(after) > openApprovals(before)) return text('store.approvalNeeded');
  return after.status === before?.status ? undefined : text(`store.run.${after.status}`);
}

const openQuestions = (turn: Turn | undefined) =>
  turn?.questions?.filter(({ status }) => status === 'open') ?? [];

/** Announces a question with its answers, because a screen reader user cannot see the buttons. */
function questionChange(before: Turn | undefined, after: Turn): string | undefined {
  const known = openQuestions(before).map(({ questionId }) => questionId);
  const question = openQuestions(after).find(({ questionId }) => !known.includes(questionId));
  if (!question) return undefined;
  const { text: questionText, options } = question;
  return text('store.question', { question: questionText, options: options.join(', ') }).slice(0, 500);
}

function commandChange(
  before: CommandState | undefined,
  after: CommandState | undefined,
): string | undefined {
  if (!after || after.status === before?.status || after.status === 'running') return undefined;
  const detail = after.error?.message ?? after.summary;
  return text(`store.command.${after.status}`, { name: after.displayName, detail }).slice(0, 500);
}

function pickerChange(before: Turn | undefined, after: Turn): string | undefined {
  const opened = after.route?.picker?.status === 'open' && before?.route?.picker?.status !== 'open';
  return opened ? text('store.choiceNeeded') : undefined;
}

function turnChange(was: Turn | undefined, is: Turn): string | undefined {
  return (
    questionChange(was, is) ??
    pickerChange(was, is) ??
    commandChange(was?.command, is.command) ??
    replyChange(was?.reply, is.reply) ??
    runChange(was?.run, is.run)
  );
}

/** The changed turns, each with its previous value; unchanged blocks are skipped whole. */
function* changedTurns(before: SessionState, after: SessionState): Generator<[Turn | undefined, Turn]> {
  for (const [index, block] of after.blocks.entries()) {
    const old = before.blocks[index];
    if (old === block) continue;
    for (const [place, turn] of block.entries()) {
      if (old?.[place] !== turn) yield [old?.[place], turn];
    }
  }
}

/**
 * The screen reader messages for a change of session state: ends, failures and questions, never the text
 * itself. Opening a session announces nothing, because its turns ended earlier.
 */
export function liveRegionMessages(
  before: SessionState | undefined,
  after: SessionState | undefined,
): string | undefined {
  if (!before || !after || before === after) return undefined;
  for (const [was, is] of changedTurns(before, after)) {
    const change = turnChange(was, is);
    if (change) return change;
  }
  return undefined;
}
