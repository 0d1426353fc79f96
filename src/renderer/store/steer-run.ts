import type { Bridge } from '#shared/ipc';
import { assertNever, type Result } from '#shared/result';
import type { RunWish } from './turn-actions';

/** Carries what a person wants of a run to main. */
export function steer(
  { invoke }: Bridge,
  sessionId: string,
  turn: number,
  wish: RunWish,
): Promise<Result<null>> {
  switch (wish.type) {
    case 'pause':
    case 'continue':
      return invoke('run-pause', { sessionId, runId: wish.runId, paused: wish.type === 'pause' });
    case 'again':
      return invoke('run-again', { sessionId, turn, ...(wish.from !== undefined && { from: wish.from }) });
    case 'settle-write': {
      const { runId, callId, happened } = wish;
      return invoke('write-settle', { sessionId, runId, callId, happened });
    }
    default:
      return assertNever(wish);
  }
}
