import { appError } from '#shared/app-error';
import type { AppError } from '#shared/app-error';
import { assertNever, err, ok } from '#shared/result';
import type { Result } from '#shared/result';
import { LOG_LINES } from '#shared/sandbox-protocol';
import type { FromWorker, RunMessage, UnitUse } from '#shared/sandbox-protocol';
import type { Clock } from '../../ports/clock';
import { startHeartbeat } from './heartbeat';
import type { HeartbeatTimes } from './heartbeat';
import { createHostSide } from './host-side';
import type { HostSide, HostSideParts } from './host-side';
import { readProcessFacts } from './process-facts';
import { createWatchdog } from './watchdog';
import type { WorkerLink } from './worker-link';
import { abortError } from './worker-pool';

/** How a unit ended in its worker, before main makes an envelope of it. */
export interface UnitEnd {
  /** The JSON text the script returned. */
  readonly result: Result<string>;
  readonly log: readonly string[];
  readonly use: UnitUse;
  readonly host: HostSide;
}

export interface UnitParts {
  readonly link: WorkerLink;
  readonly message: RunMessage;
  readonly host: Omit<HostSideParts, 'message' | 'reply'>;
  readonly clock: Clock;
  readonly heartbeat: HeartbeatTimes;
  readonly signal: AbortSignal;
}

/**
 * Runs one unit on a worker and settles once, whatever the worker does. Compute is watched only while the worker owes
 * an answer, so waiting for a tool or a person costs nothing. After anything but a result or an error of the script
 * itself the worker has been ended.
 */
export function runUnit({
  link,
  message,
  host: hostParts,
  clock,
  heartbeat,
  signal,
}: UnitParts): Promise<UnitEnd> {
  return new Promise((resolve) => {
    const log: string[] = [];
    let use: UnitUse = { cpuMs: 0, ticks: 0, memMb: 0 };
    const facts = () => (link.pid === undefined ? undefined : readProcessFacts(link.pid));
    const watchdog = createWatchdog({ clock, cpuMs: message.limits.cpuMs, facts, bark: link.end });
    const heart = startHeartbeat(link, clock, heartbeat);
    const host = createHostSide({
      ...hostParts,
      message,
      reply: (settle) => {
        if (link.owed() === 0) watchdog.arm(use.cpuMs);
        link.send(settle);
      },
    });
    const onAbort = (): void => link.end(abortError(signal));
    let settled = false;
    const settle = (result: Result<string>): void => {
      if (settled) return;
      settled = true;
      watchdog.disarm();
      heart.stop();
      signal.removeEventListener('abort', onAbort);
      host.close();
      resolve({ result, log, use, host });
    };
    const violation = (what: string): void =>
      link.end(appError('SANDBOX', 'PROTOCOL_VIOLATION', `the sandbox worker broke the protocol: ${what}`));
    const fail = ({ error, call }: Extract<FromWorker, { type: 'failed' }>): void => {
      const typed = withPlace(call === undefined ? undefined : host.errorOf(call), error as AppErrorLike);
      settle(err(typed));
      if (error.kind === 'BUDGET' || error.kind === 'SANDBOX') link.end(typed);
    };
    const turn = ({ calls }: Extract<FromWorker, { type: 'turn' }>): void => {
      if (link.owed() > 0) watchdog.arm(use.cpuMs);
      else watchdog.disarm();
      const wrong = host.begin(calls);
      if (wrong !== undefined) violation(wrong);
      else if (link.owed() === 0 && host.open() === 0) violation('it waits for nothing');
    };
    const hear = (said: FromWorker): void => {
      if (said.type === 'pong') return heart.answered();
      if (said.type === 'ready' || said.type === 'fresh') return;
      use = said.use;
      log.push(...said.log.slice(0, LOG_LINES + 1 - log.length));
      switch (said.type) {
        case 'turn':
          return turn(said);
        case 'done':
          return settle(ok(said.json));
        case 'failed':
          return fail(said);
        default:
          assertNever(said);
      }
    };
    signal.addEventListener('abort', onAbort, { once: true });
    link.hear({ message: hear, end: (cause) => settle(err(cause)) });
    if (signal.aborted) return onAbort();
    watchdog.arm(0);
    link.send(message);
  });
}

type AppErrorLike = AppError;

/** The error main gave the script, with the place the script let it through; else the script's own. */
function withPlace(known: AppError | undefined, own: AppErrorLike): AppError {
  const { line, column } = own;
  const place = { ...(line !== undefined && { line }), ...(column !== undefined && { column }) };
  return known === undefined ? { ...own, retryable: false } : { ...known, ...place };
}
