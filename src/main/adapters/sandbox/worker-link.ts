import { appError } from '#shared/app-error';
import type { AppError } from '#shared/app-error';
import { FromWorker } from '#shared/sandbox-protocol';
import type { ToWorker } from '#shared/sandbox-protocol';
import type { Clock } from '../../ports/clock';
import type { WorkerExit, WorkerProcess } from './worker-process';

/** `run` opens a unit and is owed an answer and, after the unit, a `fresh`; every other message is owed one answer. */
export interface WorkerLink {
  readonly pid: number | undefined;
  send(message: ToWorker): void;
  /** Answers the worker still owes; while there are any, it computes. */
  owed(): number;
  /** Sends what the worker says, and then its end, to whoever has the worker now. */
  hear(listener: LinkListener): void;
  /** Kills the worker and tells the listener why; only the first cause counts. */
  end(cause: AppError): void;
  ended(): boolean;
}

export interface LinkListener {
  message(message: FromWorker): void;
  end(cause: AppError): void;
}

/** Messages out of turn that a worker with no unit may send before it is killed. */
const STRIKES = 3;
/** A kill that a process did not obey within this time is repeated by pid and with no way to refuse. */
const KILL_AGAIN_MS = 20;

/**
 * One worker process behind the protocol: parses what it says, holds it to one answer per message, and drops and
 * counts the rest. A message out of turn during a unit ends unit and worker (SANDBOX/PROTOCOL_VIOLATION).
 */
export function createWorkerLink(worker: WorkerProcess, clock: Clock): WorkerLink {
  const state = { owed: 0, strikes: 0, ready: false, beat: 0 };
  let run: number | undefined;
  let freshOf: number | undefined;
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
  const strike = (what: string): void => {
    state.strikes += 1;
    if (run === undefined && state.ready && state.strikes < STRIKES) return;
    end(appError('SANDBOX', 'PROTOCOL_VIOLATION', `the sandbox worker broke the protocol: ${what}`));
  };
  /** Undefined when the message is in turn, else what is wrong with it. */
  const outOfTurn = (message: FromWorker): string | undefined => {
    switch (message.type) {
      case 'ready':
        return state.ready ? 'it started twice' : undefined;
      case 'pong':
        return message.beat === state.beat ? undefined : 'a heartbeat nobody asked for';
      case 'fresh':
        return message.run === freshOf ? undefined : 'it was ready for a unit nobody announced';
      case 'turn':
      case 'done':
      case 'failed':
        if (message.run !== run) return 'an answer for another run';
        return state.owed > 0 ? undefined : 'an answer nobody asked for';
    }
  };
  const take = (message: FromWorker): void => {
    if (message.type === 'ready') state.ready = true;
    else if (message.type === 'pong') state.beat = 0;
    else if (message.type === 'fresh') freshOf = undefined;
    else state.owed -= 1;
    if (message.type === 'done' || message.type === 'failed') {
      freshOf = run;
      run = undefined;
      state.owed = 0;
    }
    listener?.message(message);
  };

  worker.onMessage((raw) => {
    if (cause !== undefined) return;
    const parsed = FromWorker.safeParse(raw);
    const wrong = parsed.success ? outOfTurn(parsed.data) : 'a message of no known shape';
    if (wrong !== undefined) strike(wrong);
    else if (parsed.success) take(parsed.data);
  });
  worker.onExit((exit) => {
    exited = true;
    finish(appError('SANDBOX', 'PROC_CRASH', `the sandbox worker ended by itself (${exitText(exit)})`));
  });
  return {
    get pid() {
      return worker.pid;
    },
    send(message) {
      if (cause !== undefined) return;
      if (message.type === 'ping') state.beat = message.beat;
      else state.owed += 1;
      if (message.type === 'run') run = message.run;
      worker.post(message);
    },
    owed: () => state.owed,
    hear(next) {
      listener = next;
      if (cause !== undefined) next.end(cause);
    },
    end,
    ended: () => cause !== undefined,
  };
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
    // It ended in between.
  }
}
