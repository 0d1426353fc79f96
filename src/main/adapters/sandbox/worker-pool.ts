import { err, ok } from '#shared/result';
import type { Result } from '#shared/result';
import type { Clock } from '../../ports/clock';
import type { WorkerStarter } from './start-worker';
import { createWaitingLine } from './waiting-line';
import { createWarmShelf, RELEASED } from './warm-shelf';
import type { WorkerLink } from './worker-link';

export interface WorkerPool {
  /** A worker for one unit: a warm one, a new one, or the next to become free. */
  acquire(signal: AbortSignal): Promise<Result<WorkerLink>>;
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
  const busy = new Set<WorkerLink>();
  const line = createWaitingLine<WorkerLink>();
  let starting = 0;
  let closed = false;

  const count = (): number => idle.size() + busy.size + starting;
  const offer = (link: WorkerLink): void => {
    if (link.ended()) return refill();
    if (closed) return link.end(RELEASED);
    busy.add(link);
    if (line.serve(ok(link))) return;
    busy.delete(link);
    idle.put(link);
  };
  const begin = (): void => {
    starting += 1;
    void start().then((given) => {
      starting -= 1;
      if (given.ok) return offer(given.value.link);
      line.serve(given);
      refill();
    });
  };
  const refill = (): void => {
    if (closed) return;
    while (starting < line.length() && count() < mostWorkers) begin();
  };
  return {
    async acquire(signal) {
      if (closed) return err(RELEASED);
      const warm = idle.take();
      if (warm === undefined) {
        const joined = line.join(signal);
        refill();
        return joined;
      }
      busy.add(warm);
      return ok(warm);
    },
    giveBack(link) {
      busy.delete(link);
      offer(link);
    },
    lost(link) {
      busy.delete(link);
      refill();
      if (!closed && count() === 0) begin();
    },
    release: idle.release,
    close() {
      closed = true;
      idle.release();
      for (const link of busy) link.end(RELEASED);
      while (line.serve(err(RELEASED)));
    },
    size: () => idle.size() + busy.size,
  };
}
