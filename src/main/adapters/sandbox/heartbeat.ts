import { appError } from '#shared/app-error';
import type { Clock } from '../../../core/ports/clock';
import type { WorkerLink } from './worker-link';

/** Milliseconds between two questions, and how long an answer may take. */
export interface HeartbeatTimes {
  readonly everyMs: number;
  readonly answerMs: number;
}

/**
 * Asks a worker that waits for a tool whether it still lives; one that stays silent is killed (SANDBOX/PROC_CRASH).
 * While it computes the watchdog has it, and nobody asks. Gives `answered`, to be told of each pong, and `stop`.
 */
export function startHeartbeat(
  link: WorkerLink,
  clock: Clock,
  times: HeartbeatTimes,
): { answered(): void; stop(): void } {
  let beat = 0;
  let waiting = false;
  let cancelTimer = clock.after(times.everyMs, ask);

  function ask(): void {
    if (link.owed() > 0) return again();
    beat += 1;
    waiting = true;
    link.send({ type: 'ping', beat });
    cancelTimer = clock.after(times.answerMs, () => {
      if (!waiting) return again();
      if (link.owed() > 0) return again();
      link.end(appError('SANDBOX', 'PROC_CRASH', 'the sandbox worker stopped answering'));
    });
  }
  function again(): void {
    cancelTimer = clock.after(times.everyMs, ask);
  }
  return {
    answered: () => {
      waiting = false;
    },
    stop: () => cancelTimer(),
  };
}
