import { turnsPerBlock, type SessionState, type Turn } from '#shared/session-state';

const replyWords: Readonly<Record<string, string>> = {
  streaming: 'Reply started',
  done: 'Reply finished',
  stopped: 'Reply stopped',
  failed: 'Reply failed',
  interrupted: 'Reply interrupted',
};

const runWords: Readonly<Record<string, string>> = {
  planning: 'Making a plan',
  running: 'Run started',
  done: 'Run finished',
  partial: 'Run finished in part',
  failed: 'Run failed',
  cancelled: 'Run cancelled',
  interrupted: 'Run interrupted',
};

const openApprovals = (turn: Turn | undefined): number =>
  turn?.run?.approvals.filter(({ status }) => status === 'open').length ?? 0;

function turnChange(before: Turn | undefined, after: Turn): string | undefined {
  if (openApprovals(after) > openApprovals(before)) return 'Approval needed';
  const reply = after.reply?.status;
  if (reply && reply !== before?.reply?.status) {
    const reason = after.reply?.error?.message;
    return reason ? `${replyWords[reply]}: ${reason}` : replyWords[reply];
  }
  const run = after.run?.status;
  if (run && run !== before?.run?.status) return runWords[run];
  return undefined;
}

/**
 * What a screen reader is told when a session goes from one state to the next: ends, failures, questions; never the
 * text itself. Nothing when a session is opened: that its turns have ended is no news.
 */
export function changesWorthSaying(
  before: SessionState | undefined,
  after: SessionState | undefined,
): string | undefined {
  if (!before || !after || before === after || before.seq === 0) return undefined;
  for (const [index, block] of after.blocks.entries()) {
    const old = before.blocks[index];
    if (old === block) continue;
    for (const turn of block) {
      const was = old?.[turn.turn % turnsPerBlock];
      const change = was === turn ? undefined : turnChange(was, turn);
      if (change) return change;
    }
  }
  return undefined;
}
