import { appError, type AppError } from '#shared/app-error';
import { howToRaise } from '#shared/budgets';
import type { Clock } from '../ports/clock';

/** Why and when a run ends early: the user, its deadline, or a session that is no longer writable. */
export interface RunLifecycle {
  readonly signal: AbortSignal;
  /** The first reason wins. */
  readonly stop: (reason: AppError) => void;
  readonly reason: () => AppError | null;
  /** Starts the wall clock; time spent waiting for a person or a provider does not count. */
  readonly setDeadline: (ms: number) => void;
  /** Milliseconds left for the run; infinite before its limit is known. */
  readonly wallLeft: () => number;
  /** Starts a wait for a person or a provider; returns a function that ends it. */
  readonly wait: () => () => void;
  /** Pauses or resumes the run and its clock; false when it already is in that state. */
  readonly setPaused: (paused: boolean) => boolean;
  /** Resolves when the run is resumed; null when it is not paused. */
  readonly whenResumed: () => Promise<void> | null;
  readonly end: () => void;
}

function createWallClock(clock: Clock, onExpired: (limit: number) => void) {
  let limit = Infinity;
  let left = Infinity;
  let since = 0;
  let cancelTimer: (() => void) | null = null;
  let waiting = 0;
  const pause = (): void => {
    if (!cancelTimer) return;
    cancelTimer();
    cancelTimer = null;
    left -= clock.elapsed() - since;
  };
  const go = (): void => {
    if (cancelTimer || waiting > 0 || left === Infinity) return;
    since = clock.elapsed();
    cancelTimer = clock.after(Math.max(0, left), () => onExpired(limit));
  };
  const wait = (): (() => void) => {
    waiting += 1;
    pause();
    let over = false;
    return () => {
      if (over) return;
      over = true;
      waiting -= 1;
      go();
    };
  };
  return {
    start: (ms: number) => ((limit = left = ms), go()),
    left: () => left - (cancelTimer ? clock.elapsed() - since : 0),
    wait,
    end: () => cancelTimer?.(),
  };
}

function createPause(wait: () => () => void) {
  let release: (() => void) | null = null;
  let whenResumed: Promise<void> | null = null;
  return {
    whenResumed: () => whenResumed,
    setPaused: (wanted: boolean): boolean => {
      if (wanted === (whenResumed !== null)) return false;
      if (!wanted) {
        release?.();
        return true;
      }
      const resume = wait();
      whenResumed = new Promise((resolve) => {
        release = () => {
          whenResumed = null;
          resume();
          resolve();
        };
      });
      return true;
    },
  };
}

const limitText = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`);

export function createRunLifecycle(clock: Clock, external: AbortSignal): RunLifecycle {
  const controller = new AbortController();
  let reason: AppError | null = null;
  const stop = (why: AppError): void => {
    reason ??= why;
    controller.abort();
  };
  const onAbort = (): void => stop(appError('HOST', 'CANCELLED', 'The run was cancelled.'));
  const wall = createWallClock(clock, (ms) =>
    stop(
      appError('BUDGET', 'WALL_CLOCK', `The run exceeded its time limit of ${limitText(ms)}.`, {
        hint: howToRaise('run', 'wall_ms', ms),
      }),
    ),
  );
  if (external.aborted) onAbort();
  else external.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    stop,
    reason: () => reason,
    setDeadline: wall.start,
    wallLeft: wall.left,
    wait: wall.wait,
    ...createPause(wall.wait),
    end: () => {
      external.removeEventListener('abort', onAbort);
      wall.end();
    },
  };
}

/**
 * What a message for now stops. A `planned` stage continues with the message, if a model can read it there; a stage
 * that is `given` (a recipe, a plan file) ends its run; an `answer` ends, and the run keeps its results.
 */
type StageKind = 'planned' | 'given' | 'answer';

/** Cancels the stage in progress for a message of the user; a write that is under way is awaited first. */
export interface StageCancel {
  /** The lifecycle of one stage: it also ends when the run does. */
  readonly begin: (run: RunLifecycle, kind?: StageKind) => RunLifecycle;
  /** The stage has ended; true when it was cancelled. */
  readonly end: () => boolean;
  /** `steers`: a model can read the message in the run. False when no stage is in progress. */
  readonly cancel: (steers: boolean) => boolean;
  /** Called after facts were recorded. */
  readonly noteRecorded: () => void;
}

interface StageInProgress {
  readonly run: RunLifecycle;
  readonly kind: StageKind;
  readonly controller: AbortController;
  readonly unfollow: () => void;
  cancelled: boolean;
  endsRun: boolean;
}

export function createStageCancel(isWriting: () => boolean): StageCancel {
  let stage: StageInProgress | null = null;
  const noteRecorded = (): void => {
    if (stage?.cancelled !== true || isWriting()) return;
    if (stage.endsRun) stage.run.stop(stoppedForMessage);
    else stage.controller.abort();
  };
  return {
    begin(run, kind = 'planned') {
      const controller = new AbortController();
      const onAbort = (): void => controller.abort();
      if (run.signal.aborted) onAbort();
      else run.signal.addEventListener('abort', onAbort, { once: true });
      const unfollow = (): void => run.signal.removeEventListener('abort', onAbort);
      const own: StageInProgress = { run, kind, controller, unfollow, cancelled: false, endsRun: false };
      stage = own;
      const reason = () => run.reason() ?? (own.cancelled ? stageCancelled : null);
      return { ...run, signal: controller.signal, reason };
    },
    end() {
      const cancelled = stage?.cancelled === true;
      stage?.unfollow();
      stage = null;
      return cancelled;
    },
    cancel(steers) {
      if (!stage) return false;
      const { kind } = stage;
      stage.cancelled = true;
      stage.endsRun ||= kind === 'given' || (kind === 'planned' && !steers);
      noteRecorded();
      return true;
    },
    noteRecorded,
  };
}

const stageCancelled = appError('HOST', 'CANCELLED', 'The user cancelled this stage.');
const stoppedForMessage = appError('HOST', 'CANCELLED', 'The run was stopped for your message.');

/** Resolves after `ms`, or as soon as the signal aborts. */
export function delay(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || ms <= 0) return resolve();
    const cancel = clock.after(ms, done, true);
    function done(): void {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}

/** The promise's value, or null as soon as the signal aborts, so that hanging work blocks nothing. */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const give = (value: T | null): void => {
      signal.removeEventListener('abort', onAbort);
      resolve(value);
    };
    const onAbort = (): void => give(null);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(give, reject);
  });
}
