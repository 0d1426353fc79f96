import type { AppError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import type { Result } from '#shared/result';
import { LOG_LINES } from '#shared/sandbox-protocol';
import type {
  FromWorker,
  HostCall,
  RunMessage,
  ScriptFailure,
  ToWorker,
  UnitUse,
} from '#shared/sandbox-protocol';
import type { Clock } from '../../../core/ports/clock';
import { startHeartbeat } from './heartbeat';
import type { HeartbeatTimes } from './heartbeat';
import { createHostSide } from './host-side';
import type { HostSide, HostSideParts } from './host-side';
import { createMemoryPoll } from './memory-poll';
import { readProcessFacts } from './process-facts';
import { createWatchdog } from './watchdog';
import { protocolViolation } from './worker-link';
import type { WorkerLink } from './worker-link';
import { abortError } from './abort-error';

/** How a unit ended in its worker, before main converts the result to an envelope. */
export interface UnitOutcome {
  /** The JSON text that the script returned. */
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
  /**
   * Called once when the unit ends, before any further message of the worker: takes over as the link's
   * listener.
   */
  readonly release: () => void;
}

/**
 * Runs one unit on a worker and resolves exactly once, whatever the worker does. The compute limit applies
 * only while the worker owes an answer, so waiting for a tool or a person costs nothing. After any outcome
 * except a result or an error of the script itself, the worker has been ended.
 */
export function runUnit(parts: UnitParts): Promise<UnitOutcome> {
  const { link, message, signal } = parts;
  return new Promise((resolve) => {
    const watch = watchWorker(parts);
    const { log, host } = watch;
    const onAbort = (): void => link.end(abortError(signal));
    let finished = false;
    const finish = (result: Result<string>): void => {
      if (finished) return;
      finished = true;
      watch.stop();
      signal.removeEventListener('abort', onAbort);
      parts.release();
      resolve({ result, log, use: watch.use(), host });
    };
    const fail = ({ error, call }: Extract<FromWorker, { type: 'failed' }>): void => {
      const callError = withPlace(call === undefined ? undefined : host.errorOf(call), error);
      finish(err(callError));
      if (spoiled(error)) link.end(callError);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    link.setListener({
      message(received) {
        watch.heard(received);
        if (received.type === 'turn') watch.turn(received.calls);
        else if (received.type === 'done') finish(ok(received.json));
        else if (received.type === 'failed') fail(received);
      },
      end: (cause) => finish(err(cause)),
    });
    if (signal.aborted) onAbort();
    else watch.send(message);
  });
}

/**
 * Whether the engine was interrupted or out of memory; after an error of the script itself, the worker is
 * still usable.
 */
function spoiled({ kind, code }: ScriptFailure): boolean {
  if (kind === 'SANDBOX') return true;
  return kind === 'BUDGET' && code !== 'OUTPUT_LIMIT' && code !== 'WALL_CLOCK';
}

/** Tracks one unit: the worker's messages and compute, its calls, and the two timers that can end it. */
function watchWorker({ link, message, host: hostParts, clock, heartbeat }: UnitParts) {
  const log: string[] = [];
  let use: UnitUse = { cpuMs: 0, ticks: 0, memMb: 0 };
  const facts = () => (link.pid === undefined ? undefined : readProcessFacts(link.pid));
  const watchdog = createWatchdog({ clock, cpuMs: message.limits.cpuMs, facts, onTimeout: link.end });
  const memory = createMemoryPoll(clock, facts, link.end);
  const heart = startHeartbeat(link, clock, facts, heartbeat);
  const send = (next: ToWorker): void => {
    if (link.owed() === 0) watchdog.arm(use.cpuMs);
    memory.start();
    link.send(next);
  };
  const host = createHostSide({ ...hostParts, message, reply: send });
  return {
    log,
    host,
    send,
    use: () => ({ ...use, cpuMs: Math.max(use.cpuMs, watchdog.observedMs()) }),
    heard(received: FromWorker): void {
      if (received.type === 'pong') heart.answered();
      if (!('use' in received)) return;
      use = received.use;
      log.push(...received.log.slice(0, LOG_LINES + 1 - log.length));
    },
    turn(calls: readonly HostCall[]): void {
      if (link.owed() > 0) watchdog.arm(use.cpuMs);
      else {
        watchdog.disarm();
        memory.stop();
      }
      const wrong = host.begin(calls);
      const waits = link.owed() > 0 || host.open() > 0;
      if (wrong !== undefined || !waits)
        link.end(protocolViolation(wrong ?? 'it waits, but nothing is pending'));
    },
    stop(): void {
      watchdog.disarm();
      memory.stop();
      heart.stop();
      host.close();
    },
  };
}

/**
 * The error main returned to the script, with the position where the script did not catch it; else the
 * script's own.
 */
function withPlace(known: AppError | undefined, own: ScriptFailure): AppError {
  const { line, column } = own;
  const place = { ...(line !== undefined && { line }), ...(column !== undefined && { column }) };
  return known === undefined ? { ...own, retryable: false } : { ...known, ...place };
}
