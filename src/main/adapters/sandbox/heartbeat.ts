import { appError } from '#shared/app-error';
import type { Clock } from '../../../core/ports/clock';
import type { WorkerLink } from './worker-link';

/** Milliseconds between two pings, and the time limit for a pong. */
export interface HeartbeatTimes {
  readonly everyMs: number;
  readonly answerMs: number;
}

/**
 * Pings a worker that waits for a tool and kills it if it does not answer (SANDBOX/PROC_CRASH). While the
 * worker computes, the watchdog monitors it and no ping is sent. Returns `answered`, to be called for each
 * pong, and `stop`.
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
    if (link.owed() > 0) return schedule();
    beat += 1;
    waiting = true;
    link.send({ type: 'ping', beat });
    cancelTimer = clock.after(times.answerMs, () => {
      if (!waiting) return schedule();
      if (link.owed() > 0) return schedule();
      link.end(appError('SANDBOX', 'PROC_CRASH', 'the sandbox worker stopped answering'));
    });
  }
  function schedule(): void {
    cancelTimer = clock.after(times.everyMs, ask);
  }
  return {
    answered: () => {
      waiting = false;
    },
    stop: () => cancelTimer(),
  };
}
