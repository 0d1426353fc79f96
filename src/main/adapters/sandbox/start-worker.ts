import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import type { Result } from '#shared/result';
import type { FromWorker, RouteProbe } from '#shared/sandbox-protocol';
import type { Clock } from '../../ports/clock';
import type { JailWorker } from './kernel-jail';
import { createWorkerLink } from './worker-link';
import type { WorkerLink } from './worker-link';
import type { StartWorker, WallReport } from './worker-process';

export interface StartedWorker {
  readonly link: WorkerLink;
  readonly probes: readonly RouteProbe[];
  readonly jail: WallReport;
  readonly namespaces: WallReport;
  /** The engine's build and version, in the worker's own words. */
  readonly engine: string;
}
export type WorkerStarter = () => Promise<Result<StartedWorker>>;

export interface StarterParts {
  readonly startProcess: StartWorker;
  readonly clock: Clock;
  readonly jail: JailWorker;
  /** Milliseconds a process has from its start to having tried all its doors. */
  readonly startMs: number;
}

/** Fewer routes than this were not all of them: a worker that tried nothing has proved nothing. */
const LEAST_ROUTES = 22;

/**
 * Starts a worker and hands it out only after it reported every way out denied and the system's limits are set.
 * Anything else is SANDBOX/START_FAILED: nothing runs in a worker that is not locked.
 */
export function createWorkerStarter({ startProcess, clock, jail, startMs }: StarterParts): WorkerStarter {
  return async () => {
    const worker = startProcess();
    const link = createWorkerLink(worker, clock);
    const ready = await firstWords(link, clock, startMs);
    if (!ready.ok) return ready;
    const open = ready.value.probes.filter(({ denied }) => !denied);
    if (open.length > 0 || ready.value.probes.length < LEAST_ROUTES) {
      const routes = open.map(({ route }) => route).join(', ') || 'too few routes were tried';
      return refused(link, `the sandbox worker is not locked: ${routes}`);
    }
    const walls = link.pid === undefined ? { ok: false, detail: 'no process' } : await jail(link.pid);
    if (link.ended()) return refused(link, 'the sandbox worker ended while it was being locked');
    const { probes, engine } = ready.value;
    return ok({ link, probes, jail: walls, namespaces: worker.namespaces, engine: engine ?? 'QuickJS' });
  };
}

type Ready = Extract<FromWorker, { type: 'ready' }>;

function firstWords(link: WorkerLink, clock: Clock, startMs: number): Promise<Result<Ready>> {
  return new Promise((resolve) => {
    const callOff = clock.after(startMs, () => {
      resolve(refused(link, `the sandbox worker did not start within ${startMs} ms`));
    });
    link.hear({
      message(message) {
        if (message.type !== 'ready') return;
        callOff();
        resolve(ok(message));
      },
      end(cause) {
        callOff();
        resolve(err(appError('SANDBOX', 'START_FAILED', cause.message)));
      },
    });
  });
}

function refused(link: WorkerLink, message: string): Result<never> {
  const error = appError('SANDBOX', 'START_FAILED', message);
  link.end(error);
  return err(error);
}
