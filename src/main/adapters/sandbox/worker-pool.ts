import { appError } from '#shared/app-error';
import type { AppError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import type { Result } from '#shared/result';
import type { Clock } from '../../ports/clock';
import type { JailReport } from './kernel-jail';
import { readProcessFacts } from './process-facts';
import type { StartedWorker, WorkerStarter } from './start-worker';
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
  workers(): { readonly count: number; readonly jail: JailReport | undefined };
}

export interface PoolParts {
  readonly start: WorkerStarter;
  readonly clock: Clock;
  readonly mostWorkers: number;
  /** Milliseconds after which workers with nothing to do end. */
  readonly idleMs: number;
}

const RELEASED = appError('HOST', 'CANCELLED', 'the sandbox was released');

export function createWorkerPool({ start, clock, mostWorkers, idleMs }: PoolParts): WorkerPool {
  const idle: WorkerLink[] = [];
  const busy = new Set<WorkerLink>();
  const waiters: ((given: Result<WorkerLink>) => void)[] = [];
  let starting = 0;
  let closed = false;
  let jail: JailReport | undefined;
  let callOffRelease = (): void => undefined;

  const count = (): number => idle.length + busy.size + starting;
  const release = (): void => {
    callOffRelease();
    for (const link of idle.splice(0)) link.end(RELEASED);
  };
  const offer = (link: WorkerLink): void => {
    if (link.ended()) return refill();
    const waiter = waiters.shift();
    if (waiter !== undefined) {
      busy.add(link);
      return waiter(ok(link));
    }
    if (closed) return link.end(RELEASED);
    // Whoever had it listens no longer; one that dies here is simply gone.
    link.hear({ message: () => undefined, end: () => void remove(idle, link) });
    idle.push(link);
    if (busy.size === 0) {
      callOffRelease();
      callOffRelease = clock.after(idleMs, release);
    }
  };
  const started = (given: Result<StartedWorker>): void => {
    starting -= 1;
    if (given.ok) {
      jail = given.value.jail;
      offer(given.value.link);
    } else waiters.shift()?.(given);
  };
  const begin = (): void => {
    starting += 1;
    void start().then(started);
  };
  const refill = (): void => {
    if (closed) return;
    while (starting < waiters.length && count() < mostWorkers) begin();
  };
  return {
    async acquire(signal) {
      callOffRelease();
      if (closed) return err(RELEASED);
      const warm = takeLiving(idle);
      if (warm !== undefined) {
        busy.add(warm);
        return ok(warm);
      }
      return new Promise((resolve) => {
        const onAbort = (): void => {
          if (remove(waiters, settle)) resolve(err(abortError(signal)));
        };
        const settle = (given: Result<WorkerLink>): void => {
          signal.removeEventListener('abort', onAbort);
          resolve(given);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waiters.push(settle);
        refill();
      });
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
    release,
    close() {
      closed = true;
      release();
      for (const link of busy) link.end(RELEASED);
      for (const waiter of waiters.splice(0)) waiter(err(RELEASED));
    },
    workers: () => ({ count: idle.length + busy.size, jail }),
  };
}

/** The error an abort stands for: its reason when that is one of ours, else HOST/CANCELLED. */
export function abortError(signal: AbortSignal): AppError {
  const reason: unknown = signal.reason;
  const typed = reason as Partial<AppError> | undefined;
  if (typeof typed?.kind === 'string' && typeof typed.code === 'string') return reason as AppError;
  return appError('HOST', 'CANCELLED', 'the run was cancelled');
}

function takeLiving(idle: WorkerLink[]): WorkerLink | undefined {
  for (let link = idle.pop(); link !== undefined; link = idle.pop()) {
    const stopped = link.pid !== undefined && readProcessFacts(link.pid)?.stopped === true;
    if (!stopped && !link.ended()) return link;
    link.end(appError('SANDBOX', 'PROC_CRASH', 'the sandbox worker was stopped'));
  }
  return undefined;
}

function remove<T>(list: T[], item: T): boolean {
  const at = list.indexOf(item);
  if (at < 0) return false;
  list.splice(at, 1);
  return true;
}
