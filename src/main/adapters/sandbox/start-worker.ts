import { appError, type AppError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import type { Result } from '#shared/result';
import type { FromWorker, RouteProbe } from '#shared/sandbox-protocol';
import type { Clock } from '../../../core/ports/clock';
import type { JailWorker } from './kernel-jail';
import type { KernelSupport } from './kernel-support';
import { createWorkerLink } from './worker-link';
import type { WorkerLink } from './worker-link';
import type { StartWorker, LayerStatus } from './worker-process';

export interface StartedWorker {
  readonly link: WorkerLink;
  readonly probes: readonly RouteProbe[];
  readonly filter: LayerStatus;
  readonly jail: LayerStatus;
  readonly namespaces: LayerStatus;
  /** The engine's build and version, as the worker reports it. */
  readonly engine: string;
}
export type WorkerStarter = () => Promise<Result<StartedWorker>>;

export interface StarterParts {
  readonly startProcess: StartWorker;
  readonly clock: Clock;
  readonly jail: JailWorker;
  /** Called before the first worker starts. */
  readonly support: () => Pick<KernelSupport, 'noFilter'>;
  /** The kernel's status of a worker's system call filter. */
  readonly readFilter: (pid: number) => LayerStatus;
  /** Maximum milliseconds from a process's start until it has probed every route out. */
  readonly startMs: number;
}

/** A worker that reports fewer probed routes did not try them all and has proved nothing. */
const MIN_ROUTES = 22;
/** The same minimum for probed system calls. */
const MIN_CALLS = 12;
export const SYSTEM_CALL_ROUTE = 'system call ';

/**
 * Starts a worker and returns it only after it reported every route denied, the kernel confirmed its system
 * call filter where one is required, and the kernel limits are set. Anything else is SANDBOX/START_FAILED:
 * nothing runs in a worker that is not locked down.
 */
export function createWorkerStarter(parts: StarterParts): WorkerStarter {
  const { startProcess, clock, jail, startMs } = parts;
  return async () => {
    const { noFilter } = parts.support();
    const worker = startProcess();
    const link = createWorkerLink(worker, clock);
    const ready = await firstWords(link, clock, startMs);
    if (!ready.ok) return ready;
    const open = ready.value.probes.filter(({ denied }) => !denied);
    if (open.length > 0 || ready.value.probes.length < MIN_ROUTES) {
      const routes = open.map(({ route }) => route).join(', ') || 'too few routes were tried';
      return refused(link, `The sandbox worker is not locked: ${routes}.`);
    }
    const filter = checkFilter(link.pid, ready.value, noFilter, parts.readFilter);
    if (!filter.ok && noFilter === undefined) {
      return refused(link, `The sandbox worker's system calls are not filtered (${filter.detail}).`);
    }
    const jailed = link.pid === undefined ? { ok: false, detail: 'no process' } : await jail(link.pid);
    if (link.ended()) return refused(link, 'The sandbox worker ended while it was being locked.');
    const { probes, engine } = ready.value;
    return ok({
      link,
      probes,
      filter,
      jail: jailed,
      namespaces: worker.namespaces,
      engine: engine ?? 'QuickJS',
    });
  };
}

type Ready = Extract<FromWorker, { type: 'ready' }>;

/**
 * Does not trust the worker's report alone: checks the kernel's status and that the system calls were probed.
 */
function checkFilter(
  pid: number | undefined,
  { kernel, probes }: Ready,
  noFilter: string | undefined,
  read: StarterParts['readFilter'],
): LayerStatus {
  if (noFilter !== undefined || pid === undefined) return { ok: false, detail: noFilter ?? 'no process' };
  if (kernel?.ok !== true) return { ok: false, detail: kernel?.detail ?? 'it installed none' };
  const tried = probes.filter(({ route }) => route.startsWith(SYSTEM_CALL_ROUTE));
  if (tried.length < MIN_CALLS) return { ok: false, detail: 'too few system calls were tried' };
  const seen = read(pid);
  const names = tried.map(({ route }) => route.slice(SYSTEM_CALL_ROUTE.length)).join(', ');
  return seen.ok ? { ok: true, detail: `${seen.detail}; refused when tried: ${names}` } : seen;
}

function firstWords(link: WorkerLink, clock: Clock, startMs: number): Promise<Result<Ready>> {
  return new Promise((resolve) => {
    const cancelTimer = clock.after(startMs, () => {
      const busy = { retryable: true, hint: 'The computer may be busy. Try again.' };
      resolve(refused(link, `The sandbox worker did not start within ${startMs} ms.`, busy));
    });
    link.setListener({
      message(message) {
        if (message.type !== 'ready') return;
        cancelTimer();
        resolve(ok(message));
      },
      end({ message, retryable, hint }) {
        cancelTimer();
        resolve(err(appError('SANDBOX', 'START_FAILED', message, { retryable, ...(hint && { hint }) })));
      },
    });
  });
}

function refused(
  link: WorkerLink,
  message: string,
  more: Partial<Pick<AppError, 'hint' | 'retryable'>> = {},
): Result<never> {
  const error = appError('SANDBOX', 'START_FAILED', message, more);
  link.end(error);
  return err(error);
}
