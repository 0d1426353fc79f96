import { err, ok } from '#shared/result';
import type { Result } from '#shared/result';
import type { Clock } from '../../../core/ports/clock';
import type { StartedWorker, WorkerStarter } from './start-worker';
import { createWaitingLine } from './waiting-line';
import { createWarmShelf, RELEASED } from './warm-shelf';
import type { WorkerLink } from './worker-link';

export interface WorkerPool {
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

export interface PoolParts {
  readonly start: WorkerStarter;
  readonly clock: Clock;
  readonly mostWorkers: number;
  /** Milliseconds after which workers with nothing to do end. */
  readonly idleMs: number;
}

/** Starts workers as units need them, and keeps those that are done warm for a while. */
export function createWorkerPool({ start, clock, mostWorkers, idleMs }: PoolParts): WorkerPool {
  const idle = createWarmShelf(clock, idleMs);
  const crew = new Map<WorkerLink, 'works' | 'rests'>();
  const line = createWaitingLine<WorkerLink>();
  let closed = false;
  const starts = createStarts(start, (given) => {
    if (given.ok) return offer(given.value.link);
    line.serve(given);
    refill();
  });
  const size = (): number => idle.size() + crew.size;
  const offer = (link: WorkerLink): void => {
    if (link.ended()) return refill();
    if (closed) return link.end(RELEASED);
    crew.set(link, 'works');
    if (line.serve(ok(link))) return;
    crew.delete(link);
    idle.put(link);
  };
  const refill = (): void => {
    // A worker at rest is ready long before a new one could be.
    const coming = () => starts.underWay() + [...crew.values()].filter((state) => state === 'rests').length;
    while (!closed && coming() < line.length() && size() + starts.underWay() < mostWorkers) starts.begin();
  };
  const warm = (): void => {
    if (!closed && size() + starts.underWay() === 0) starts.begin();
  };
  return {
    async acquire(signal) {
      if (closed) return err(RELEASED);
      const link = idle.take();
      if (link === undefined) {
        const joined = line.join(signal);
        refill();
        return joined;
      }
      crew.set(link, 'works');
      return ok(link);
    },
    warm,
    resting: (link) => void crew.set(link, 'rests'),
    giveBack(link) {
      crew.delete(link);
      offer(link);
    },
    lost(link) {
      crew.delete(link);
      refill();
      warm();
    },
    release: idle.release,
    close() {
      closed = true;
      idle.release();
      for (const link of [...crew.keys()]) link.end(RELEASED);
      while (line.serve(err(RELEASED)));
    },
    size,
  };
}

/** Starts workers in the background and counts those on their way. */
function createStarts(start: WorkerStarter, deliver: (given: Result<StartedWorker>) => void) {
  let underWay = 0;
  return {
    underWay: () => underWay,
    begin(): void {
      underWay += 1;
      void start().then((given) => {
        underWay -= 1;
        deliver(given);
      });
    },
  };
}
