import { appError } from '#shared/app-error';
import type { Clock } from '../../../core/ports/clock';
import { readProcessFacts } from './process-facts';
import type { WorkerLink } from './worker-link';

/** Why a worker with nothing to do was ended. */
export const RELEASED = appError('HOST', 'CANCELLED', 'the sandbox was released');

/** Workers with nothing to do. They end together once none was put or taken for `idleMs`. */
export interface WarmShelf {
  put(link: WorkerLink): void;
  /** One that lives; one that was stopped from outside is ended instead. */
  take(): WorkerLink | undefined;
  release(): void;
  size(): number;
}

export function createWarmShelf(clock: Clock, idleMs: number): WarmShelf {
  const shelf = new Set<WorkerLink>();
  let callOff = (): void => undefined;

  const release = (): void => {
    callOff();
    for (const link of shelf) link.end(RELEASED);
  };
  const touch = (): void => {
    callOff();
    callOff = clock.after(idleMs, release);
  };
  return {
    put(link) {
      shelf.add(link);
      // Whoever had it listens no longer; one that dies here is simply gone.
      link.hear({ message: () => undefined, end: () => void shelf.delete(link) });
      touch();
    },
    take() {
      touch();
      for (const link of shelf) {
        shelf.delete(link);
        const stopped = link.pid !== undefined && readProcessFacts(link.pid)?.stopped === true;
        if (!stopped && !link.ended()) return link;
        link.end(appError('SANDBOX', 'PROC_CRASH', 'the sandbox worker was stopped'));
      }
      return undefined;
    },
    release,
    size: () => shelf.size,
  };
}
