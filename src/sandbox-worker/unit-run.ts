import { HostCall, MESSAGE_CHARS } from '#shared/sandbox-protocol';
import type { RunMessage, UnitUse } from '#shared/sandbox-protocol';
import { createComputeMeter } from './compute-meter';
import type { ComputeClock, StopCode } from './compute-meter';
import { createHostCallsQueue } from './host-calls-queue';
import { createScriptLog } from './script-log';
import { deadlock, engineTrap, memoryLimit, nameFailure, stopFailure, THREW_NULL } from './script-failure';
import type { NamedFailure } from './script-failure';
import type { PreparedVm, Vm } from './vm';

/** How one slice of compute ended. */
export type SliceEnd =
  | { readonly type: 'turn'; readonly calls: HostCall[] }
  | { readonly type: 'done'; readonly json: string }
  | ({ readonly type: 'failed' } & NamedFailure);

export interface Slice {
  readonly end: SliceEnd;
  readonly log: string[];
  readonly use: UnitUse;
}

/** One unit on one machine: what the guest says is heard here, and its compute is cut into metered slices. */
export interface UnitRun {
  settle(call: number, ok: boolean, json: string): Slice;
  refused(error: NamedFailure['error']): Slice;
  /** Does one slice of compute; a failure that `work` gives ends the unit. */
  slice(work: (vm: Vm) => NamedFailure | undefined): Slice;
}

/** Opens the machine for a unit; making it costs the script nothing. */
export async function openUnitRun(
  prepared: PreparedVm,
  clock: ComputeClock,
  unit: RunMessage,
): Promise<UnitRun> {
  const meter = createComputeMeter(clock, unit.limits);
  const books = createUnitBooks(unit, (code) => meter.stop(code));
  // Once the unit is over the engine is broken off too: what it still has to do is nobody's.
  const over = (): boolean => books.outcome() !== undefined || meter.tick();
  const vm = await prepared.open({ memMb: unit.limits.memMb, interrupt: over, hear: books.hear });

  const stopped = (): SliceEnd | undefined => {
    const code = meter.stopped();
    return code === undefined ? undefined : failed({ error: stopFailure(code) });
  };
  const idle = (): SliceEnd => {
    // An engine without memory drops the job it has no room for, and the promises behind it stay open for ever.
    if (books.queue.open() === 0) return failed({ error: vm.memoryFull() ? memoryLimit() : deadlock() });
    return { type: 'turn', calls: books.queue.take() };
  };
  const broken = (): SliceEnd => failed({ error: vm.memoryFull() ? memoryLimit() : engineTrap() });
  /** An engine without memory for an error throws null in its place. */
  const outcome = (): SliceEnd | undefined => {
    const end = books.outcome();
    const nothing = end?.type === 'failed' && end.error.message === THREW_NULL;
    return nothing && vm.memoryFull() ? failed({ error: memoryLimit() }) : end;
  };
  const report = (end: SliceEnd): Slice => ({
    end,
    log: books.log.take(),
    use: { ...meter.used(), memMb: vm.memMb() },
  });
  const slice: UnitRun['slice'] = (work) => {
    meter.begin();
    let end: SliceEnd;
    try {
      const failure = work(vm);
      if (failure) books.end(failed(failure));
      vm.runJobs(over);
      // A limit that was reached comes first: one engine tells the script of it, as of an error of its own.
      end = stopped() ?? outcome() ?? idle();
    } catch {
      // The engine was interrupted, ran out of memory or trapped: which of them, its meters tell.
      end = stopped() ?? outcome() ?? broken();
    }
    meter.end();
    return report(end);
  };
  return {
    slice,
    settle: (call, ok, json) =>
      slice(() => {
        books.queue.settled(call);
        vm.settle(call, ok, json);
        return undefined;
      }),
    refused: (error) => report(failed({ error })),
  };
}

/** What the guest has said so far: its calls, its log, and how it ended. */
function createUnitBooks(unit: RunMessage, stop: (code: StopCode) => void) {
  const queue = createHostCallsQueue(unit.limits);
  const log = createScriptLog();
  let outcome: SliceEnd | undefined;
  return {
    queue,
    log,
    outcome: () => outcome,
    end(ending: SliceEnd): void {
      outcome ??= ending;
    },
    hear(what: string, text: string): void {
      if (outcome !== undefined || text.length > MESSAGE_CHARS) return;
      if (what === 'log') log.add(JSON.parse(text) as string);
      else if (what === 'call') {
        if (!queue.add(HostCall.parse(JSON.parse(text)))) stop('TOOL_CALLS');
      } else outcome = what === 'done' ? { type: 'done', json: text } : failed(nameFailure(text, unit.code));
    },
  };
}

function failed(failure: NamedFailure): SliceEnd {
  return { type: 'failed', ...failure };
}
