import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core';
import { HostCall, LOG_LINES, MESSAGE_CHARS } from '#shared/sandbox-protocol';
import type { RunMessage, UnitUse } from '#shared/sandbox-protocol';
import { findSyntaxError, positionIn, SCRIPT_FILE, wrapScript } from './compile-script';
import { createComputeMeter } from './compute-meter';
import type { ComputeClock } from './compute-meter';
import { GUEST_PRELUDE } from './guest/prelude';
import { createHostCallsQueue } from './host-calls-queue';
import type { GuestInstance } from './quickjs-module';
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

export interface ScriptVm {
  start(unit: RunMessage): Slice;
  settle(call: number, ok: boolean, json: string): Slice;
}

/** Jobs run between two looks at the clock: a loop of promises never reaches the engine's own interrupts. */
const JOBS_AT_ONCE = 32;

/** Loads the guest's half of the bridge; what comes back runs exactly one unit. */
export function prepareScriptVm(guest: GuestInstance, clock: ComputeClock): ScriptVm {
  const { context } = guest;
  let hear: (what: string, text: string) => void = () => undefined;
  const emit = context.newFunction('emit', (what, text) => {
    hear(context.getString(what), context.getString(text));
  });
  const prelude = context.unwrapResult(context.evalCode(GUEST_PRELUDE, 'prelude.js'));
  const bridge = context.unwrapResult(context.callFunction(prelude, context.undefined, emit));
  const startScript = context.getProp(bridge, 'start');
  const settleCall = context.getProp(bridge, 'settle');

  let settle: ScriptVm['settle'] = () => {
    throw new Error('settle before start');
  };
  return {
    start(unit) {
      const run = createUnitRun(guest, clock, unit);
      hear = run.hear;
      settle = (call, ok, json) =>
        run.slice(() => {
          run.settled(call);
          invoke(context, settleCall, [call, ok, json]);
        });
      const syntax = findSyntaxError(unit.code);
      if (syntax !== undefined) return run.refused(syntax);
      return run.slice(() => {
        const compiled = context.evalCode(wrapScript(unit.code), SCRIPT_FILE);
        if (compiled.error) return uncompiled(context, compiled.error, unit.code);
        invoke(context, startScript, [compiled.value, unitText(unit)]);
        compiled.value.dispose();
        return undefined;
      });
    },
    settle: (call, ok, json) => settle(call, ok, json),
  };
}

/** The engine's own word on a script that the parser before it let through; no code of the script has run yet. */
function uncompiled(context: QuickJSContext, error: QuickJSHandle, code: string): NamedFailure {
  const [name, message, stack] = ['name', 'message', 'stack'].map((key) =>
    context.getProp(error, key).consume((handle) => context.getString(handle)),
  );
  if (name !== 'SyntaxError')
    return nameFailure(JSON.stringify({ message: `${name}: ${message}`, stack, typed: null }), code);
  const said = (message ?? '').slice(0, 500);
  return { error: { kind: 'CODE', code: 'SYNTAX_ERROR', message: said, ...positionIn(stack ?? '', code) } };
}

function unitText({ tools, params, inputs, limits }: RunMessage): string {
  const chars = String(limits.resultChars);
  return `{"tools":${JSON.stringify(tools)},"params":${params},"inputs":${inputs},"resultChars":${chars}}`;
}

/** Calls a guest function with texts, numbers, booleans and handles; throws what the engine threw. */
function invoke(
  context: QuickJSContext,
  callee: QuickJSHandle,
  given: readonly (string | number | boolean | QuickJSHandle)[],
): void {
  const handles = given.map((value) => {
    if (typeof value === 'string') return context.newString(value);
    if (typeof value === 'number') return context.newNumber(value);
    if (typeof value === 'boolean') return value ? context.true : context.false;
    return value;
  });
  context.unwrapResult(context.callFunction(callee, context.undefined, ...handles)).dispose();
}

interface UnitRun {
  hear(what: string, text: string): void;
  settled(call: number): void;
  refused(error: NamedFailure['error']): Slice;
  /** Does one slice of compute; a failure that `work` gives ends the unit. */
  slice(work: () => NamedFailure | undefined | void): Slice;
}

function createUnitRun(guest: GuestInstance, clock: ComputeClock, unit: RunMessage): UnitRun {
  const { runtime } = guest.context;
  const meter = createComputeMeter(clock, unit.limits);
  const queue = createHostCallsQueue(unit.limits);
  let log: string[] = [];
  let logged = 0;
  let outcome: SliceEnd | undefined;
  guest.limitMemory(unit.limits.memMb);
  guest.setInterrupt(() => meter.tick());

  const failed = (failure: NamedFailure): SliceEnd => ({ type: 'failed', ...failure });
  const pump = (): void => {
    while (runtime.hasPendingJob() && outcome === undefined && !meter.tick()) {
      const jobs = runtime.executePendingJobs(JOBS_AT_ONCE);
      if (jobs.error) {
        jobs.error.dispose();
        throw new Error('a job ended the engine');
      }
    }
  };
  const ended = (): SliceEnd => {
    const stopped = meter.stopped();
    if (outcome !== undefined) return outcome;
    if (stopped !== undefined) return failed({ error: stopFailure(stopped) });
    if (queue.open() === 0) return failed({ error: deadlock() });
    return { type: 'turn', calls: queue.take() };
  };
  const broken = (): SliceEnd => {
    const stopped = meter.stopped();
    if (stopped !== undefined) return failed({ error: stopFailure(stopped) });
    const full = guest.memMb() >= Math.min(unit.limits.memMb, 64) * 0.8;
    return failed({ error: full ? memoryLimit() : engineTrap() });
  };
  const report = (end: SliceEnd): Slice => {
    const lines = log;
    log = [];
    return { end, log: lines, use: { ...meter.used(), memMb: guest.memMb() } };
  };
  const hearLog = (text: string): void => {
    logged += 1;
    if (logged <= LOG_LINES) log.push(JSON.parse(text) as string);
    else if (logged === LOG_LINES + 1) log.push(`[more than ${LOG_LINES} lines]`);
  };
  const hearCall = (text: string): void => {
    if (!queue.add(HostCall.parse(JSON.parse(text)))) meter.stop('TOOL_CALLS');
  };
  return {
    hear(what, text) {
      if (outcome !== undefined || text.length > MESSAGE_CHARS) return;
      if (what === 'log') hearLog(text);
      else if (what === 'call') hearCall(text);
      else if (what === 'done') outcome = { type: 'done', json: text };
      else outcome = failed(nameFailure(text, unit.code));
    },
    settled: (call) => queue.settled(call),
    refused: (error) => report(failed({ error })),
    slice(work) {
      meter.begin();
      let end: SliceEnd;
      try {
        const failure = work();
        if (failure) outcome = failed(failure);
        pump();
        end = ended();
      } catch {
        end = outcome ?? broken();
      }
      meter.end();
      return report(end);
    },
  };
}
