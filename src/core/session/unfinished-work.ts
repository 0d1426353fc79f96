import { appError, type AppError } from '#shared/app-error';
import type { SessionFact } from '#shared/session-event';
import { isUnanswered, type QuestionState, type SessionState, type Turn } from '#shared/session-state';

const interruption = appError('HOST', 'CANCELLED', 'Patina ended before this was finished.', {
  hint: 'Send the message again.',
  retryable: true,
});

export function isRunActive(turn: Turn): boolean {
  return turn.run?.status === 'planning' || turn.run?.status === 'running';
}

const isCommandRunning = (turn: Turn): boolean => turn.command?.status === 'running';

/** An approval in a workflow that continues: its call is recorded, so its card can still be answered. */
const isStillAnswerable = ({ call }: QuestionState, { workflow }: SessionState): boolean =>
  call?.workflowRunId !== undefined && call.workflowRunId === workflow?.workflowRunId;

/** Withdraws cards of tools whose call died with its process; the router's own questions stay answerable. */
function orphaned(turn: Turn, state: SessionState): readonly SessionFact[] {
  const open = turn.questions?.filter(({ asker, status }) => asker === 'model' && status === 'open') ?? [];
  return open
    .filter((question) => !isStillAnswerable(question, state))
    .map(({ questionId }) => ({
      type: 'question-withdrawn',
      turn: turn.turn,
      questionId,
      reason: 'cancelled',
    }));
}

/** Whether any work in the session is running or waiting. */
export function isBusy(state: Pick<SessionState, 'blocks'>): boolean {
  return state.blocks.some((block) =>
    block.some(
      (turn) =>
        turn.reply?.status === 'streaming' ||
        isRunActive(turn) ||
        isCommandRunning(turn) ||
        isUnanswered(turn),
    ),
  );
}

function closing(turn: Turn, state: SessionState): readonly SessionFact[] {
  return [...orphaned(turn, state), ...closingParts(turn, interruption), ...closingRun(turn)];
}

const closingRun = (turn: Turn): readonly SessionFact[] =>
  turn.run && isRunActive(turn) ? [{ type: 'run-interrupted', turn: turn.turn, runId: turn.run.runId }] : [];

/** Ends the command and the reply of a turn that nobody continues, with the error that says why. */
export function closingParts(turn: Turn, error: AppError): readonly SessionFact[] {
  const { turn: number, model } = turn;
  const ended: SessionFact = { type: 'reply-ended', turn: number, outcome: 'interrupted', error };
  return [
    ...(isCommandRunning(turn)
      ? [
          {
            type: 'command-ended' as const,
            turn: number,
            outcome: 'failed' as const,
            summary: error.message,
            error,
          },
        ]
      : []),
    ...(isUnanswered(turn)
      ? [{ type: 'reply-started' as const, turn: number, model, providerName: model.providerId }]
      : []),
    ...(isUnanswered(turn) || turn.reply?.status === 'streaming' ? [ended] : []),
  ];
}

/** Rejects a sync that died with its process; pending and waiting snapshots are unaffected. */
function brokenSync({ workspace: { sync } }: SessionState): readonly SessionFact[] {
  if (sync?.status !== 'syncing') return [];
  const error = appError('HOST', 'CANCELLED', 'Patina ended before the workspace was read.', {
    hint: 'Sync again.',
    retryable: true,
  });
  return [{ type: 'workspace-snapshot-rejected', requestId: sync.requestId, error }];
}

/**
 * The facts that close the work a dead writer left open: replies and runs end as interrupted with their
 * content so far, an unanswered line is marked as interrupted, and waiting lines stay, paused. Nothing is
 * restarted.
 */
export function interruptions(state: SessionState): readonly SessionFact[] {
  return [
    ...brokenSync(state),
    ...(state.queue && !state.queue.paused ? [{ type: 'queue-paused' as const }] : []),
    ...state.blocks.flatMap((block) => block.flatMap((turn) => closing(turn, state))),
  ];
}
