import { appError } from '#shared/app-error';
import type { AppError } from '#shared/app-error';
import type { Clock } from '../../../core/ports/clock';
import type { ProcessFacts } from './process-facts';

/** Maximum memory of a worker process, whatever its engine reports. */
export const MAX_WORKER_MB = 256;
/** Milliseconds between two polls: a worker fills memory at a few megabytes per millisecond at most. */
const EVERY_MS = 20;

/**
 * Ends a worker that exceeds `MAX_WORKER_MB` while it computes (BUDGET/MEMORY_LIMIT). Does not poll where the
 * system does not report memory.
 */
export function createMemoryPoll(
  clock: Clock,
  facts: () => ProcessFacts | undefined,
  onTimeout: (cause: AppError) => void,
) {
  let cancelTimer: (() => void) | undefined;
  const stop = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
  };
  const look = (): void => {
    const now = facts();
    if (now === undefined) return stop();
    if (now.rssMb > MAX_WORKER_MB) return onTimeout(overMemory());
    cancelTimer = clock.after(EVERY_MS, look);
  };
  return {
    start(): void {
      cancelTimer ??= clock.after(EVERY_MS, look);
    },
    stop,
  };
}

function overMemory(): AppError {
  return appError('BUDGET', 'MEMORY_LIMIT', `The sandbox worker took more than ${MAX_WORKER_MB} MB.`);
}
