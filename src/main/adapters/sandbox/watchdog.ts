import { appError } from '#shared/app-error';
import type { AppError } from '#shared/app-error';
import type { Clock } from '../../../core/ports/clock';
import type { ProcessFacts } from './process-facts';

/** Past the worker's own soft deadline; then the worker is no longer asked. */
export const GRACE_MS = 50;
/** Looked at this much before the grace is over: V8 compiles beside the script, so its compute may run ahead of the clock. */
const EARLY_LOOK_MS = 30;
/**
 * Time by the clock that one slice of compute may take where the system reports compute: a far limit, for a machine that
 * gives the worker next to nothing. Milliseconds, and a multiple of the compute the slice may use.
 */
const WALL_MS = 60_000;
const WALL_PER_COMPUTE = 10;
/** A worker that sleeps this long without any compute while it owes an answer will not give one. */
const SILENT_MS = 20_000;
/** The system's count may be this much above what the worker reported over all slices; it includes reading messages. */
const UNREPORTED_FACTOR = 4;
const UNREPORTED_MS = 2_000;
/** Between two looks, at least and at most. */
const LOOK_MS = { least: 5, most: 1_000 };

export interface Watchdog {
  /** A slice of compute begins (or goes on) with `usedMs` already spent. */
  arm(usedMs: number): void;
  disarm(): void;
  /** Milliseconds of compute as last seen from outside: for a worker that was ended before it could say. */
  observedMs(): number;
}

export interface WatchdogParts {
  readonly clock: Clock;
  readonly cpuMs: number;
  /** What the system says of the worker; undefined where it says nothing. */
  readonly facts: () => ProcessFacts | undefined;
  readonly onTimeout: (cause: AppError) => void;
}

/**
 * Ends a worker whose slice of compute outlives the unit's budget by GRACE_MS. Where the system reports the thread's CPU
 * time (Linux), only that time is compute, and time by the clock has its own, far limit (BUDGET/WALL_CLOCK). Elsewhere time
 * by the clock is all there is and counts as compute while the worker owes an answer.
 */
export function createWatchdog({ clock, cpuMs, facts, onTimeout }: WatchdogParts): Watchdog {
  let cancelTimer: (() => void) | undefined;
  let baselineCpuMs: number | undefined;
  let observedMs = 0;

  const disarm = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
  };
  const arm = (usedMs: number): void => {
    disarm();
    const allowed = Math.max(0, cpuMs - usedMs) + GRACE_MS;
    const began = clock.elapsed();
    const cpuBefore = facts()?.cpuMs;
    baselineCpuMs ??= cpuBefore;
    // What the worker says it used is its own word; what the system says is not.
    if ((cpuBefore ?? 0) - (baselineCpuMs ?? 0) > cpuMs * UNREPORTED_FACTOR + UNREPORTED_MS)
      return onTimeout(overBudget());
    let progress = { spent: 0, at: began };
    const look = (): void => {
      const now = facts();
      const waited = clock.elapsed() - began;
      const spent = now === undefined || cpuBefore === undefined ? waited : now.cpuMs - cpuBefore;
      observedMs = usedMs + spent;
      if (spent > progress.spent || now?.runnable === true) progress = { spent, at: clock.elapsed() };
      const silentMs = clock.elapsed() - progress.at;
      const cause = findViolation({ stopped: now?.stopped === true, spent, allowed, waited, silentMs });
      if (cause !== undefined) return onTimeout(cause);
      cancelTimer = clock.after(Math.min(Math.max(allowed - spent, LOOK_MS.least), LOOK_MS.most), look);
    };
    cancelTimer = clock.after(Math.min(allowed - EARLY_LOOK_MS, LOOK_MS.most), look);
  };
  return { arm, disarm, observedMs: () => observedMs };
}

interface Seen {
  readonly stopped: boolean;
  /** Milliseconds of compute in this slice, and what it may have. */
  readonly spent: number;
  readonly allowed: number;
  /** Milliseconds since the slice began, and since it last computed or waited for a processor. */
  readonly waited: number;
  readonly silentMs: number;
}

/** Why a worker may not go on, or undefined while it may. */
function findViolation({ stopped, spent, allowed, waited, silentMs }: Seen): AppError | undefined {
  if (stopped) return silent('was stopped');
  if (spent >= allowed) return overBudget();
  if (silentMs >= SILENT_MS) return silent('does not answer');
  return waited >= WALL_MS + allowed * WALL_PER_COMPUTE ? overTime(spent, waited) : undefined;
}

function overBudget(): AppError {
  return appError('BUDGET', 'CPU_LIMIT', 'the script used up its compute time');
}

function overTime(spent: number, waited: number): AppError {
  const [seconds, used] = [Math.round(waited / 1_000), Math.round(spent)];
  return appError(
    'BUDGET',
    'WALL_CLOCK',
    `the script was ended after ${seconds} seconds: the machine was too busy and gave it only ${used} ms of compute`,
    { retryable: true, hint: 'Run it again when the machine has less to do.' },
  );
}

function silent(how: string): AppError {
  return appError('SANDBOX', 'PROC_CRASH', `the sandbox worker ${how}`);
}
