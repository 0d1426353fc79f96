import { appError } from '#shared/app-error';
import type { AppError } from '#shared/app-error';
import type { Clock } from '../../../core/ports/clock';
import type { ProcessFacts } from './process-facts';

/** Milliseconds past the worker's own soft deadline before the watchdog acts without its cooperation. */
export const GRACE_MS = 50;
/**
 * Check this much before the grace period ends: V8 compiles on other threads, so compute may run ahead of the
 * clock.
 */
const EARLY_LOOK_MS = 30;
/**
 * Wall-clock limit for one slice of compute where the system reports CPU time: a generous limit, for a
 * machine that barely schedules the worker. Milliseconds, and a multiple of the compute the slice may use.
 */
const WALL_MS = 60_000;
const WALL_PER_COMPUTE = 10;
/** A worker that owes an answer and sleeps this long without computing will not answer. */
export const SILENT_MS = 20_000;
/**
 * The system's CPU time over all slices may exceed the unit's budget by this factor and UNREPORTED_MS: it
 * includes reading messages.
 */
const UNREPORTED_FACTOR = 4;
const UNREPORTED_MS = 2_000;
/** Minimum and maximum milliseconds between two checks. */
const LOOK_MS = { min: 5, max: 1_000 };

export interface WatchdogParts {
  readonly clock: Clock;
  readonly cpuMs: number;
  /** The system's facts about the worker; undefined where there are none. */
  readonly facts: () => ProcessFacts | undefined;
  readonly onTimeout: (cause: AppError) => void;
}

/**
 * Ends a worker whose slice of compute exceeds the unit's budget by GRACE_MS. Where the system reports the
 * thread's CPU time (Linux), only CPU time counts as compute, and wall-clock time has its own, generous limit
 * (BUDGET/WALL_CLOCK). Elsewhere only wall-clock time is available; it counts as compute while the worker
 * owes an answer.
 */
export function createWatchdog({ clock, cpuMs, facts, onTimeout }: WatchdogParts) {
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
    // The worker's own report is untrusted; the system's measurement is not.
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
      cancelTimer = clock.after(Math.min(Math.max(allowed - spent, LOOK_MS.min), LOOK_MS.max), look);
    };
    cancelTimer = clock.after(Math.min(allowed - EARLY_LOOK_MS, LOOK_MS.max), look);
  };
  return {
    /** Starts or continues a slice of compute with `usedMs` already spent. */
    arm,
    disarm /**
     * Milliseconds of compute as last observed from outside, for a worker that was ended before it could
     * report.
     */,
    observedMs: (): number => observedMs,
  };
}

interface Seen {
  readonly stopped: boolean;
  /** Milliseconds of compute in this slice, and its limit. */
  readonly spent: number;
  readonly allowed: number;
  /** Milliseconds since the slice started, and since the worker last computed or waited for a processor. */
  readonly waited: number;
  readonly silentMs: number;
}

/** Why a worker must end, or undefined while it may continue. */
function findViolation({ stopped, spent, allowed, waited, silentMs }: Seen): AppError | undefined {
  if (stopped) return silent('was stopped');
  if (spent >= allowed) return overBudget();
  if (silentMs >= SILENT_MS) return silent('does not answer');
  return waited >= WALL_MS + allowed * WALL_PER_COMPUTE ? overTime(spent, waited) : undefined;
}

function overBudget(): AppError {
  return appError('BUDGET', 'CPU_LIMIT', 'The script used up its compute time.');
}

function overTime(spent: number, waited: number): AppError {
  const [seconds, used] = [Math.round(waited / 1_000), Math.round(spent)];
  return appError(
    'BUDGET',
    'WALL_CLOCK',
    `The script was ended after ${seconds} seconds: the machine was too busy and gave it only ${used} ms of compute.`,
    { retryable: true, hint: 'Run it again when the machine has less to do.' },
  );
}

function silent(how: string): AppError {
  return appError('SANDBOX', 'PROC_CRASH', `The sandbox worker ${how}.`);
}
