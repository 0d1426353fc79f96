import type { CommandState, ReplyState, RunState, SessionState, Turn } from '#shared/session-state';

const replyLabels: Readonly<Record<ReplyState['status'], string>> = {
  streaming: 'Reply started',
  done: 'Reply finished',
  stopped: 'Reply stopped',
  failed: 'Reply failed',
  interrupted: 'Reply interrupted',
};

const runLabels: Readonly<Record<RunState['status'], string>> = {
  planning: 'Making a plan',
  running: 'Run started',
  done: 'Run finished',
  partial: 'Run finished in part',
  failed: 'Run failed',
  cancelled: 'Run cancelled',
  answered: 'Reply finished',
  interrupted: 'Run interrupted',
};

function replyChange(before: ReplyState | undefined, after: ReplyState | undefined): string | undefined {
  if (!after || after.status === before?.status) return undefined;
  const words = replyLabels[after.status];
  return after.error ? `${words}: ${after.error.message}` : words;
}

const openApprovals = (run: RunState | undefined): number =>
  run?.approvals.filter(({ status }) => status === 'open').length ?? 0;

function runChange(before: RunState | undefined, after: RunState | undefined): string | undefined {
  if (!after || after === before) return undefined;
  if (openApprovals(after) > openApprovals(before)) return 'Approval needed';
  return after.status === before?.status ? undefined : runLabels[after.status];
}

const openQuestions = (turn: Turn | undefined) =>
  turn?.questions?.filter(({ status }) => status === 'open') ?? [];

/** Announces a question with its answers, because a screen reader user cannot see the buttons. */
function questionChange(before: Turn | undefined, after: Turn): string | undefined {
  const known = openQuestions(before).map(({ questionId }) => questionId);
  const question = openQuestions(after).find(({ questionId }) => !known.includes(questionId));
  return question && `Question: ${question.text} ${question.options.join(', ')}`.slice(0, 500);
}

const commandLabels: Readonly<Record<CommandState['status'], string>> = {
  running: 'Started',
  done: 'Done',
  failed: 'Failed',
};

function commandChange(
  before: CommandState | undefined,
  after: CommandState | undefined,
): string | undefined {
  if (!after || after.status === before?.status || after.status === 'running') return undefined;
  const text = after.error?.message ?? after.summary;
  return `${commandLabels[after.status]}: ${after.displayName}. ${text}`.slice(0, 500);
}

function pickerChange(before: Turn | undefined, after: Turn): string | undefined {
  const opened = after.route?.picker?.status === 'open' && before?.route?.picker?.status !== 'open';
  return opened ? 'A choice is needed' : undefined;
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
