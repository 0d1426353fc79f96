import {
  HostCall,
  LOG_LINES,
  MESSAGE_CHARS,
  maxOtherCalls,
  type RunMessage,
  type UnitUse,
} from '#shared/sandbox-protocol';
import { type ComputeClock, createComputeMeter, type StopCode } from './compute-meter';
import {
  deadlock,
  engineTrap,
  memoryLimit,
  type NamedFailure,
  nameFailure,
  stopFailure,
  THREW_NULL,
} from './script-failure';
import type { PreparedVm, Vm } from './vm';

/** How one slice of compute ended. */
type SliceOutcome =
  | { readonly type: 'turn'; readonly calls: HostCall[] }
  | { readonly type: 'done'; readonly json: string }
  | ({ readonly type: 'failed' } & NamedFailure);

export interface Slice {
  readonly end: SliceOutcome;
  readonly log: string[];
  readonly use: UnitUse;
}

/** One unit on one VM: receives the guest's messages and divides its compute into metered slices. */
interface UnitRun {
  completeCall(call: number, ok: boolean, json: string): Slice;
  refused(error: NamedFailure['error']): Slice;
  /** Runs one slice of compute; a failure that `work` returns ends the unit. */
  slice(work: (vm: Vm) => NamedFailure | undefined): Slice;
}

/** Opens the VM for a unit; the script does not pay for its creation. */
export async function openUnitRun(
  prepared: PreparedVm,
  clock: ComputeClock,
  unit: RunMessage,
): Promise<UnitRun> {
  const meter = createComputeMeter(clock, unit.limits);
  const books = createUnitBooks(unit, (code) => meter.stop(code));
  // Once the unit has ended, interrupts the engine too: its remaining work has no purpose.
  const over = (): boolean => books.outcome() !== undefined || meter.tick();
  const vm = await prepared.open({ memMb: unit.limits.memMb, interrupt: over, onOutput: books.onOutput });

  const stopped = (): SliceOutcome | undefined => {
    const code = meter.stopped();
    return code === undefined ? undefined : failed({ error: stopFailure(code) });
  };
  const idle = (): SliceOutcome => {
    // An engine out of memory drops the job that does not fit, and the promises behind it stay pending
    // forever.
    if (books.queue.open() === 0) return failed({ error: vm.memoryFull() ? memoryLimit() : deadlock() });
    return { type: 'turn', calls: books.queue.take() };
  };
  const broken = (): SliceOutcome => failed({ error: vm.memoryFull() ? memoryLimit() : engineTrap() });
  /** An engine without memory for an error throws null instead. */
  const outcome = (): SliceOutcome | undefined => {
    const end = books.outcome();
    const nothing = end?.type === 'failed' && end.error.message === THREW_NULL;
    return nothing && vm.memoryFull() ? failed({ error: memoryLimit() }) : end;
  };
  const report = (end: SliceOutcome): Slice => ({
    end,
    log: books.log.take(),
    use: { ...meter.used(), memMb: vm.memMb() },
  });
  const slice: UnitRun['slice'] = (work) => {
    meter.begin();
    let end: SliceOutcome;
    try {
      const failure = work(vm);
      if (failure) books.end(failed(failure));
      vm.runJobs(over);
      // A reached limit takes precedence: one engine passes it to the script as an ordinary error.
      end = stopped() ?? outcome() ?? idle();
    } catch {
      // The engine was interrupted, ran out of memory or trapped; the meters show which.
      end = stopped() ?? outcome() ?? broken();
    }
    meter.end();
    return report(end);
  };
  return {
    slice,
    completeCall: (call, ok, json) =>
      slice(() => {
        books.queue.complete(call);
        vm.completeCall(call, ok, json);
        return undefined;
      }),
    refused: (error) => report(failed({ error })),
  };
}

/** Records a guest's messages: its calls, its log, and how it ended. */
function createUnitBooks(unit: RunMessage, stop: (code: StopCode) => void) {
  const queue = createHostCallsQueue(unit.limits);
  const log = createScriptLog();
  let outcome: SliceOutcome | undefined;
  return {
    queue,
    log,
    outcome: () => outcome,
    end(ending: SliceOutcome): void {
      outcome ??= ending;
    },
    onOutput(what: string, text: string): void {
      if (outcome !== undefined || text.length > MESSAGE_CHARS) return;
      if (what === 'log') log.add(JSON.parse(text) as string);
      else if (what === 'call') {
        if (!queue.add(HostCall.parse(JSON.parse(text)))) stop('TOOL_CALLS');
      } else outcome = what === 'done' ? { type: 'done', json: text } : failed(nameFailure(text, unit.code));
    },
  };
}

function failed(failure: NamedFailure): SliceOutcome {
  return { type: 'failed', ...failure };
}

/** A script's calls: the pending ones, and those queued inside the worker. */
interface HostCallsQueue {
  /** False when the call exceeds the unit's limits of tool calls or other calls. */
  add(call: HostCall): boolean;
  /** Removes and returns the calls that may be sent now. */
  take(): HostCall[];
  complete(call: number): void;
  /** Number of unanswered calls, sent or not. */
  open(): number;
}

function createHostCallsQueue(limits: {
  readonly toolCalls: number;
  readonly callsAtOnce: number;
}): HostCallsQueue {
  const queued: HostCall[] = [];
  const underWay = new Set<number>();
  let tools = 0;
  let others = 0;
  return {
    add(call) {
      if (call.op === 'tool') tools += 1;
      else others += 1;
      if (tools > limits.toolCalls || others > maxOtherCalls(limits)) return false;
      queued.push(call);
      return true;
    },
    take() {
      const batch = queued.splice(0, limits.callsAtOnce - underWay.size);
      for (const { call } of batch) underWay.add(call);
      return batch;
    },
    complete: (call) => void underWay.delete(call),
    open: () => queued.length + underWay.size,
  };
}

/** The lines of one unit's `log(…)`: up to a maximum, then one line that reports the omission. */
function createScriptLog(): { add(line: string): void; take(): string[] } {
  let loggedLines: string[] = [];
  let count = 0;
  return {
    add(line) {
      count += 1;
      if (count <= LOG_LINES) loggedLines.push(line);
      else if (count === LOG_LINES + 1) loggedLines.push(`[more than ${LOG_LINES} lines]`);
    },
    take() {
      const lines = loggedLines;
      loggedLines = [];
      return lines;
    },
  };
}
