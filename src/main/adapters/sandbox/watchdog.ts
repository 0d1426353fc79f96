import { appError } from '#shared/app-error';
import type { AppError } from '#shared/app-error';
import type { Clock } from '../../ports/clock';
import type { ProcessFacts } from './process-facts';

/** Past the worker's own soft deadline; then the worker is no longer asked. */
export const GRACE_MS = 50;
/** A busy machine may give a worker less than it is owed, but not for longer than this many times its budget. */
const MOST_PATIENCE = 4;
const LEAST_PATIENCE_MS = 2_000;

export interface Watchdog {
  /** A slice of compute begins (or goes on) with `usedMs` already spent. */
  arm(usedMs: number): void;
  disarm(): void;
}

export interface WatchdogParts {
  readonly clock: Clock;
  readonly cpuMs: number;
  /** What the system says of the worker; undefined where it says nothing. */
  readonly facts: () => ProcessFacts | undefined;
  readonly bark: (cause: AppError) => void;
}

/**
 * Ends a worker whose slice of compute outlives the unit's budget by GRACE_MS. Where the system tells the worker's CPU
 * time, that decides and not the wall clock, so that a busy machine does not fail a script that obeys its budget.
 */
export function createWatchdog({ clock, cpuMs, facts, bark }: WatchdogParts): Watchdog {
  let callOff: (() => void) | undefined;

  const disarm = (): void => {
    callOff?.();
    callOff = undefined;
  };
  const arm = (usedMs: number): void => {
    disarm();
    const allowed = Math.max(0, cpuMs - usedMs) + GRACE_MS;
    const began = clock.elapsed();
    const cpuBefore = facts()?.cpuMs;
    const patience = Math.max(allowed * MOST_PATIENCE, LEAST_PATIENCE_MS);
    const look = (): void => {
      const now = facts();
      const cpuSpent = now === undefined || cpuBefore === undefined ? allowed : now.cpuMs - cpuBefore;
      const left = patience - (clock.elapsed() - began);
      if (now?.stopped === true) return bark(silent('was stopped'));
      if (cpuSpent >= allowed) return bark(overBudget());
      if (left <= 0) return bark(cpuSpent * 10 < allowed ? silent('does not answer') : overBudget());
      callOff = clock.after(Math.min(Math.max(allowed - cpuSpent, 5), left), look);
    };
    callOff = clock.after(allowed, look);
  };
  return { arm, disarm };
}

function overBudget(): AppError {
  return appError('BUDGET', 'CPU_LIMIT', 'the script used up its compute time');
}

function silent(how: string): AppError {
  return appError('SANDBOX', 'PROC_CRASH', `the sandbox worker ${how}`);
}
