import { err, ok, type Result } from '#shared/result';
import type { Clock } from '../../../core/ports/clock';
import { appError } from '#shared/app-error';
import { abortError } from './abort-error';
import { readProcessFacts } from './process-facts';
import type { StartedWorker, WorkerStarter } from './start-worker';
import type { WorkerLink } from './worker-link';

interface PoolParts {
  readonly start: WorkerStarter;
  readonly clock: Clock;
  readonly maxWorkers: number;
  /** Milliseconds after which idle workers end. */
  readonly idleMs: number;
}

/** Starts workers as units need them and keeps idle ones for a while. */
export function createWorkerPool({ start, clock, maxWorkers, idleMs }: PoolParts) {
  const warmWorkers = createIdleWorkers(clock, idleMs);
  const inUse = new Map<WorkerLink, 'works' | 'rests'>();
  const line = createFifoQueue<WorkerLink>();
  let closed = false;
  const starts = createStarts(start, (started) => {
    if (started.ok) return offer(started.value.link);
    line.serve(started);
    refill();
  });
  const size = (): number => warmWorkers.size() + inUse.size;
  const offer = (link: WorkerLink): void => {
    if (link.ended()) return refill();
    if (closed) return link.end(RELEASED);
    inUse.set(link, 'works');
    if (line.serve(ok(link))) return;
    inUse.delete(link);
    warmWorkers.put(link);
  };
  const refill = (): void => {
    // A resetting worker is ready long before a new one could be.
    const coming = () => starts.underWay() + [...inUse.values()].filter((state) => state === 'rests').length;
    while (!closed && coming() < line.length() && size() + starts.underWay() < maxWorkers) starts.begin();
  };
  const warm = (): void => {
    if (!closed && size() + starts.underWay() === 0) starts.begin();
  };
  return {
    /** A worker for one unit: an idle one, a new one, or the next to become free. */
    async acquire(signal: AbortSignal): Promise<Result<WorkerLink>> {
      if (closed) return err(RELEASED);
      const link = warmWorkers.take();
      if (link === undefined) {
        const joined = line.join(signal);
        refill();
        return joined;
      }
      inUse.set(link, 'works');
      return ok(link);
    },
    /** Starts a worker when there is none, so that the next unit waits less. */
    warm,
    /** The worker's unit has ended; it is resetting and will soon be ready or lost. */
    resting: (link: WorkerLink): void => void inUse.set(link, 'rests'),
    /** The worker has reset and is ready for another unit. */
    giveBack(link: WorkerLink): void {
      inUse.delete(link);
      offer(link);
    },
    /** The worker has ended; another replaces it if a unit is waiting or no worker remains. */
    lost(link: WorkerLink): void {
      inUse.delete(link);
      refill();
      warm();
    },
    /** Ends the idle workers. */
    release: warmWorkers.release,
    close(): void {
      closed = true;
      warmWorkers.release();
      for (const link of [...inUse.keys()]) link.end(RELEASED);
      while (line.serve(err(RELEASED)));
    },
    /** Number of running workers. */
    size,
  };
}

/** Starts workers in the background and counts the pending starts. */
function createStarts(start: WorkerStarter, deliver: (started: Result<StartedWorker>) => void) {
  let underWay = 0;
  return {
    underWay: () => underWay,
    begin(): void {
      underWay += 1;
      void start().then((started) => {
        underWay -= 1;
        deliver(started);
      });
    },
  };
}

/** First come, first served; an aborted request leaves the queue with the error of the abort. */
interface FifoQueue<T> {
  join(signal: AbortSignal): Promise<Result<T>>;
  /** Serves the first request in the queue; false when the queue is empty. */
  serve(started: Result<T>): boolean;
  length(): number;
}

function createFifoQueue<T>(): FifoQueue<T> {
  const line = new Set<(started: Result<T>) => void>();
  return {
    join(signal) {
      if (signal.aborted) return Promise.resolve(err(abortError(signal)));
      return new Promise((resolve) => {
        const leave = (started: Result<T>): void => {
          line.delete(leave);
          signal.removeEventListener('abort', onAbort);
          resolve(started);
        };
        const onAbort = (): void => leave(err(abortError(signal)));
        signal.addEventListener('abort', onAbort, { once: true });
        line.add(leave);
      });
    },
    serve(started) {
      const [first] = line;
      first?.(started);
      return first !== undefined;
    },
    length: () => line.size,
  };
}

/** Why an idle worker was ended. */
const RELEASED = appError('HOST', 'CANCELLED', 'The sandbox was released.');

/** The idle workers. All end together when none was added or taken for `idleMs`. */
function createIdleWorkers(clock: Clock, idleMs: number) {
  const idle = new Set<WorkerLink>();
  let cancelTimer = (): void => undefined;

  const release = (): void => {
    cancelTimer();
    for (const link of idle) link.end(RELEASED);
  };
  const touch = (): void => {
    cancelTimer();
    cancelTimer = clock.after(idleMs, release);
  };
  return {
    put(link: WorkerLink): void {
      idle.add(link);
      // The previous listener is gone, so a worker that exits here is simply removed.
      link.setListener({ message: () => undefined, end: () => void idle.delete(link) });
      touch();
    },
    /** Returns a live worker; ends one that was stopped from outside instead. */
    take(): WorkerLink | undefined {
      touch();
      for (const link of idle) {
        idle.delete(link);
        const stopped = link.pid !== undefined && readProcessFacts(link.pid)?.stopped === true;
        if (!stopped && !link.ended()) return link;
        link.end(appError('SANDBOX', 'PROC_CRASH', 'The sandbox worker was stopped.'));
      }
      return undefined;
    },
    release,
    size: (): number => idle.size,
  };
}
