import { appError } from '#shared/app-error';
import type { Clock } from '../../../core/ports/clock';
import type { ProcessFacts } from './process-facts';
import { SILENT_MS } from './watchdog';
import type { WorkerLink } from './worker-link';

/** Milliseconds between two pings, and the time limit for a pong. */
export interface HeartbeatTimes {
  readonly everyMs: number;
  readonly answerMs: number;
}

/**
 * Pings a worker that waits for a tool and kills it if it does not answer (SANDBOX/PROC_CRASH). A worker that waits
 * for a processor gets up to SILENT_MS: it is slow, not dead. While the worker computes, the watchdog monitors it and
 * no ping is sent. Returns `answered`, to be called for each pong, and `stop`.
 */
export function startHeartbeat(
  link: Pick<WorkerLink, 'owed' | 'send' | 'end'>,
  clock: Clock,
  facts: () => ProcessFacts | undefined,
  times: HeartbeatTimes,
): { answered(): void; stop(): void } {
  let beat = 0;
  let waiting = false;
  let cancelTimer = clock.after(times.everyMs, ask);

  function ask(): void {
    if (link.owed() > 0) return schedule();
    beat += 1;
    waiting = true;
    const pinged = { at: clock.elapsed(), cpuMs: facts()?.cpuMs ?? 0 };
    link.send({ type: 'ping', beat });
    cancelTimer = clock.after(times.answerMs, look);

    function look(): void {
      if (!waiting || link.owed() > 0) return schedule();
      const now = facts();
      // One that computed for this long could have answered.
      const starved = now?.runnable === true && now.cpuMs - pinged.cpuMs < times.answerMs / 2;
      if (starved && clock.elapsed() - pinged.at < SILENT_MS) {
        cancelTimer = clock.after(times.answerMs, look);
        return;
      }
      link.end(appError('SANDBOX', 'PROC_CRASH', 'The sandbox worker stopped answering.'));
    }
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
