import { err, ok, type Result } from '#shared/result';
import type { Clock } from '../../../core/ports/clock';
import { appError } from '#shared/app-error';
import { abortError } from './abort-error';
import { readProcessFacts } from './process-facts';
import type { StartedWorker, WorkerStarter } from './start-worker';
import type { WorkerLink } from './worker-link';

interface WorkerPool {
  /** A worker for one unit: a warm one, a new one, or the next to become free. */
  acquire(signal: AbortSignal): Promise<Result<WorkerLink>>;
  /** Begins to start a worker when there is none, so that whoever comes next need not wait for all of it. */
  warm(): void;
  /** The worker's unit is over; it will be as new, or lost, in a moment. */
  resting(link: WorkerLink): void;
  /** The worker is as new again. */
  giveBack(link: WorkerLink): void;
  /** The worker has ended; another takes its place when somebody waits or none is left warm. */
  lost(link: WorkerLink): void;
  /** Ends the workers that have nothing to do. */
  release(): void;
  close(): void;
  /** Workers that run. */
  size(): number;
}

interface PoolParts {
  readonly start: WorkerStarter;
  readonly clock: Clock;
  readonly maxWorkers: number;
  /** Milliseconds after which workers with nothing to do end. */
  readonly idleMs: number;
}

/** Starts workers as units need them, and keeps those that are done warm for a while. */
export function createWorkerPool({ start, clock, maxWorkers, idleMs }: PoolParts): WorkerPool {
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
    // A worker at rest is ready long before a new one could be.
    const coming = () => starts.underWay() + [...inUse.values()].filter((state) => state === 'rests').length;
    while (!closed && coming() < line.length() && size() + starts.underWay() < maxWorkers) starts.begin();
  };
  const warm = (): void => {
    if (!closed && size() + starts.underWay() === 0) starts.begin();
  };
  return {
    async acquire(signal) {
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
    warm,
    resting: (link) => void inUse.set(link, 'rests'),
    giveBack(link) {
      inUse.delete(link);
      offer(link);
    },
    lost(link) {
      inUse.delete(link);
      refill();
      warm();
    },
    release: warmWorkers.release,
    close() {
      closed = true;
      warmWorkers.release();
      for (const link of [...inUse.keys()]) link.end(RELEASED);
      while (line.serve(err(RELEASED)));
    },
    size,
  };
}

/** Starts workers in the background and counts those on their way. */
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

/** First come, first served; whoever gives up (aborts) leaves the line with the error of the abort. */
interface FifoQueue<T> {
  join(signal: AbortSignal): Promise<Result<T>>;
  /** Gives to the first in line; false when there is nobody. */
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

/** Why a worker with nothing to do was ended. */
const RELEASED = appError('HOST', 'CANCELLED', 'the sandbox was released');

/** Workers with nothing to do. They end together once none was put or taken for `idleMs`. */
interface IdleWorkers {
  put(link: WorkerLink): void;
  /** One that lives; one that was stopped from outside is ended instead. */
  take(): WorkerLink | undefined;
  release(): void;
  size(): number;
}

function createIdleWorkers(clock: Clock, idleMs: number): IdleWorkers {
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
    put(link) {
      idle.add(link);
      // Whoever had it listens no longer; one that dies here is simply gone.
      link.hear({ message: () => undefined, end: () => void idle.delete(link) });
      touch();
    },
    take() {
      touch();
      for (const link of idle) {
        idle.delete(link);
        const stopped = link.pid !== undefined && readProcessFacts(link.pid)?.stopped === true;
        if (!stopped && !link.ended()) return link;
        link.end(appError('SANDBOX', 'PROC_CRASH', 'the sandbox worker was stopped'));
      }
      return undefined;
    },
    release,
    size: () => idle.size,
  };
}
