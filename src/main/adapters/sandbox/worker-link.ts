import { appError } from '#shared/app-error';
import type { AppError } from '#shared/app-error';
import type { FromWorker, ToWorker } from '#shared/sandbox-protocol';
import type { Clock } from '../../../core/ports/clock';
import { createMessageRate } from './message-rate';
import { createProtocolGuard } from './protocol-guard';
import type { WorkerExit, WorkerProcess } from './worker-process';

/**
 * `run` starts a unit; the worker owes an answer and, after the unit, a `fresh`. It owes every other message
 * one answer.
 */
export type WorkerLink = ReturnType<typeof createWorkerLink>;

export interface LinkListener {
  message(message: FromWorker): void;
  end(cause: AppError): void;
}

/** If a process does not exit within this time, it is killed by pid with SIGKILL. */
const KILL_AGAIN_MS = 20;

/**
 * One worker process behind the protocol. Messages out of turn are dropped; during a unit, or at the third
 * one, they end unit and worker (SANDBOX/PROTOCOL_VIOLATION). Messages after its end was decided are ignored.
 */
export function createWorkerLink(worker: WorkerProcess, clock: Clock) {
  const guard = createProtocolGuard();
  const rate = createMessageRate(clock);
  let cause: AppError | undefined;
  let exited = false;
  let listener: LinkListener | undefined;

  const finish = (error: AppError): void => {
    if (cause !== undefined) return;
    cause = error;
    listener?.end(error);
  };
  const end = (error: AppError): void => {
    if (cause !== undefined) return;
    finish(error);
    worker.kill();
    clock.after(KILL_AGAIN_MS, () => {
      if (!exited) killByPid(worker.pid);
    });
  };
  worker.onMessage((raw) => {
    if (cause !== undefined) return;
    if (rate.exceeded()) return end(protocolViolation('it floods its port'));
    const heard = guard.accept(raw);
    if ('message' in heard) listener?.message(heard.message);
    else if (guard.recordStrike()) end(protocolViolation(heard.wrong));
  });
  worker.onExit((exit) => {
    exited = true;
    finish(appError('SANDBOX', 'PROC_CRASH', `The sandbox worker exited unexpectedly (${exitText(exit)}).`));
  });
  return {
    get pid() {
      return worker.pid;
    },
    send(message: ToWorker): void {
      if (cause !== undefined) return;
      guard.sent(message);
      worker.post(message);
    },
    /** Number of outstanding answers; while there are any, the worker computes. */
    owed: guard.owed,
    /** Sends the worker's messages, and then its exit, to the current listener. */
    setListener(next: LinkListener): void {
      listener = next;
      if (cause !== undefined) next.end(cause);
    },
    /** Kills the worker and reports the cause to the listener; only the first cause counts. */
    end,
    ended: (): boolean => cause !== undefined,
  };
}

/** SANDBOX/PROTOCOL_VIOLATION, with a description of the worker's violation. */
export function protocolViolation(what: string): AppError {
  return appError('SANDBOX', 'PROTOCOL_VIOLATION', `The sandbox worker broke the protocol: ${what}.`);
}

function exitText({ code, signal }: WorkerExit): string {
  if (signal !== null) return `signal ${signal}`;
  return code === null ? 'it could not be started' : `exit code ${code}`;
}

function killByPid(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process ended in between.
  }
}
