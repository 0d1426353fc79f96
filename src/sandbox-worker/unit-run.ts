import { HostCall, MESSAGE_CHARS } from '#shared/sandbox-protocol';
import type { RunMessage, UnitUse } from '#shared/sandbox-protocol';
import { createComputeMeter } from './compute-meter';
import type { ComputeClock, ComputeMeter } from './compute-meter';
import { createHostCallsQueue } from './host-calls-queue';
import type { GuestInstance } from './quickjs-module';
import { createScriptLog } from './script-log';
import { deadlock, engineTrap, memoryLimit, nameFailure, stopFailure } from './script-failure';
import type { NamedFailure } from './script-failure';

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

/** One unit in one instance: what the guest says is heard here, and its compute is cut into metered slices. */
export interface UnitRun {
  hear(what: string, text: string): void;
  settled(call: number): void;
  refused(error: NamedFailure['error']): Slice;
  /** Does one slice of compute; a failure that `work` gives ends the unit. */
  slice(work: () => NamedFailure | undefined): Slice;
}

/** Jobs run between two looks at the clock: a loop of promises never reaches the engine's own interrupts. */
const JOBS_AT_ONCE = 32;

export function createUnitRun(guest: GuestInstance, clock: ComputeClock, unit: RunMessage): UnitRun {
  const meter = createComputeMeter(clock, unit.limits);
  const queue = createHostCallsQueue(unit.limits);
  const log = createScriptLog();
  let outcome: SliceEnd | undefined;
  guest.limitMemory(unit.limits.memMb);
  guest.setInterrupt(() => meter.tick());

  const ended = (): SliceEnd => {
    if (outcome !== undefined) return outcome;
    const stopped = meter.stopped();
    if (stopped !== undefined) return failed({ error: stopFailure(stopped) });
    if (queue.open() === 0) return failed({ error: deadlock() });
    return { type: 'turn', calls: queue.take() };
  };
  const broken = (): SliceEnd => {
    const stopped = meter.stopped();
    if (stopped !== undefined) return failed({ error: stopFailure(stopped) });
    return failed({ error: guest.memoryFull() ? memoryLimit() : engineTrap() });
  };
  const report = (end: SliceEnd): Slice => ({
    end,
    log: log.take(),
    use: { ...meter.used(), memMb: guest.memMb() },
  });
  return {
    hear(what, text) {
      if (outcome !== undefined || text.length > MESSAGE_CHARS) return;
      if (what === 'log') log.add(JSON.parse(text) as string);
      else if (what === 'call') {
        if (!queue.add(HostCall.parse(JSON.parse(text)))) meter.stop('TOOL_CALLS');
      } else outcome = what === 'done' ? { type: 'done', json: text } : failed(nameFailure(text, unit.code));
    },
    settled: (call) => queue.settled(call),
    refused: (error) => report(failed({ error })),
    slice(work) {
      meter.begin();
      let end: SliceEnd;
      try {
        const failure = work();
        if (failure) outcome = failed(failure);
        runJobs(guest, meter, () => outcome !== undefined);
        end = ended();
      } catch {
        // The engine was interrupted, ran out of memory or trapped: which of them, its meters tell.
        end = outcome ?? broken();
      }
      meter.end();
      return report(end);
    },
  };
}

function failed(failure: NamedFailure): SliceEnd {
  return { type: 'failed', ...failure };
}

/** Runs the guest's pending jobs until there are none, the unit is over, or its budget is. */
function runJobs(guest: GuestInstance, meter: ComputeMeter, over: () => boolean): void {
  const { runtime } = guest.context;
  while (runtime.hasPendingJob() && !over() && !meter.tick()) {
    const jobs = runtime.executePendingJobs(JOBS_AT_ONCE);
    if (jobs.error) throw new Error('a job ended the engine');
  }
}
