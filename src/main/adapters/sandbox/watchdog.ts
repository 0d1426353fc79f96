import { appError } from '#shared/app-error';
import type { AppError } from '#shared/app-error';
import type { Clock } from '../../ports/clock';
import type { ProcessFacts } from './process-facts';

/** Past the worker's own soft deadline; then the worker is no longer asked. */
export const GRACE_MS = 50;
/** Looked at this much before the grace is over: V8 compiles beside the script, so its compute may run ahead of the clock. */
const EARLY_LOOK_MS = 30;
/** A busy machine may give a worker less than it is owed, but not for longer than this many times its budget. */
const MOST_PATIENCE = 4;
const LEAST_PATIENCE_MS = 2_000;
/** And this many times longer for a worker that waits for its turn on a machine with too much to do. */
const QUEUE_PATIENCE = 15;

export interface Watchdog {
  /** A slice of compute begins (or goes on) with `usedMs` already spent. */
  arm(usedMs: number): void;
  disarm(): void;
  /** Milliseconds of compute as last seen from outside: for a worker that was ended before it could say. */
  seenMs(): number;
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
  let bornCpu: number | undefined;
  let seenMs = 0;

  const disarm = (): void => {
    callOff?.();
    callOff = undefined;
  };
  const arm = (usedMs: number): void => {
    disarm();
    const allowed = Math.max(0, cpuMs - usedMs) + GRACE_MS;
    const began = clock.elapsed();
    const cpuBefore = facts()?.cpuMs;
    bornCpu ??= cpuBefore;
    // What the worker says it used is its own word; what the system says is not.
    if ((cpuBefore ?? 0) - (bornCpu ?? 0) > cpuMs * MOST_PATIENCE + LEAST_PATIENCE_MS)
      return bark(overBudget());
    const look = (): void => {
      const now = facts();
      const waited = clock.elapsed() - began;
      const spent = now === undefined || cpuBefore === undefined ? waited : now.cpuMs - cpuBefore;
      seenMs = usedMs + spent;
      const cause = judge({ now, spent, allowed, waited });
      if (cause !== undefined) return bark(cause);
      callOff = clock.after(Math.max(allowed - spent, 5), look);
    };
    callOff = clock.after(allowed - EARLY_LOOK_MS, look);
  };
  return { arm, disarm, seenMs: () => seenMs };
}

interface Seen {
  readonly now: ProcessFacts | undefined;
  /** Milliseconds of compute in this slice, and what it may have. */
  readonly spent: number;
  readonly allowed: number;
  /** Milliseconds since the slice began. */
  readonly waited: number;
}

/** Why a worker may not go on, or undefined while it may. */
function judge({ now, spent, allowed, waited }: Seen): AppError | undefined {
  if (now?.stopped === true) return silent('was stopped');
  if (spent >= allowed) return overBudget();
  const idle = spent * 10 < allowed;
  const queues = idle && now?.runnable === true;
  const patience = Math.max(allowed * MOST_PATIENCE, LEAST_PATIENCE_MS) * (queues ? QUEUE_PATIENCE : 1);
  if (waited < patience) return undefined;
  return idle ? silent('does not answer') : overBudget();
}

function overBudget(): AppError {
  return appError('BUDGET', 'CPU_LIMIT', 'the script used up its compute time');
}

function silent(how: string): AppError {
  return appError('SANDBOX', 'PROC_CRASH', `the sandbox worker ${how}`);
}
