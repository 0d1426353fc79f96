import { appError } from '#shared/app-error';
import type { SessionFact } from '#shared/session-event';
import type { SessionState, Turn } from '#shared/session-state';

const interruption = appError('HOST', 'CANCELLED', 'Patina ended before this was finished.', {
  hint: 'Send the line again.',
  retryable: true,
});

function runGoesOn(turn: Turn): boolean {
  return turn.run?.status === 'planning' || turn.run?.status === 'running';
}

function unanswered(turn: Turn): boolean {
  return turn.reply === undefined && turn.run === undefined;
}

/** Whether something in the session is still being worked on, or waits to be. */
export function isBusy(state: SessionState): boolean {
  return state.blocks.some((block) =>
    block.some((turn) => turn.reply?.status === 'streaming' || runGoesOn(turn) || unanswered(turn)),
  );
}

function closing(turn: Turn): readonly SessionFact[] {
  const { turn: position, model } = turn;
  const ended: SessionFact = {
    type: 'reply-ended',
    turn: position,
    outcome: 'interrupted',
    error: interruption,
  };
  if (turn.reply?.status === 'streaming') return [ended];
  if (turn.run && runGoesOn(turn)) {
    return [{ type: 'run-interrupted', turn: position, runId: turn.run.runId }];
  }
  if (!unanswered(turn)) return [];
  return [{ type: 'reply-started', turn: position, model, providerName: model.providerId }, ended];
}

/**
 * The facts that close what a writer left open when it died: replies and runs end as interrupted, with what they had;
 * a line nobody came to answer says so. Nothing is started again.
 */
export function interruptions(state: SessionState): readonly SessionFact[] {
  return state.blocks.flatMap((block) => block.flatMap(closing));
}
