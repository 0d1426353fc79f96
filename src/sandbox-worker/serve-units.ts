import { assertNever } from '#shared/result';
import { ToWorker, type FromWorker, type RunMessage } from '#shared/sandbox-protocol';
import type { ComputeClock } from './compute-meter';
import { type Slice, openUnitRun } from './unit-run';
import type { PreparedVm, PrepareVm, EngineError } from './vm';
import { findSyntaxError, positionIn, SCRIPT_FILE, wrapScript } from './compile-script';
import { nameFailure, type NamedFailure } from './script-failure';

interface ScriptVm {
  start(unit: RunMessage): Promise<Slice>;
  completeCall(call: number, ok: boolean, json: string): Slice;
}

/** Runs exactly one unit on a VM in which nothing has run. */
function createScriptVm(prepared: PreparedVm, clock: ComputeClock): ScriptVm {
  let completeCall: ScriptVm['completeCall'] = () => {
    throw new Error('a call was completed before the script started');
  };
  return {
    async start(unit) {
      const run = await openUnitRun(prepared, clock, unit);
      completeCall = (call, ok, json) => run.completeCall(call, ok, json);
      const syntax = findSyntaxError(unit.code);
      if (syntax !== undefined) return run.refused(syntax);
      return run.slice((vm) => {
        const error = vm.start(wrapScript(unit.code), SCRIPT_FILE, unitText(unit));
        return error && uncompiled(error, unit.code);
      });
    },
    completeCall: (call, ok, json) => completeCall(call, ok, json),
  };
}

/** An engine error about a script that the earlier parser accepted; no code of the script has run yet. */
function uncompiled({ name, message, stack }: EngineError, code: string): NamedFailure {
  if (name !== 'SyntaxError')
    return nameFailure(JSON.stringify({ message: `${name}: ${message}`, stack, failure: null }), code);
  const shortMessage = message.slice(0, 500);
  return { error: { kind: 'CODE', code: 'SYNTAX_ERROR', message: shortMessage, ...positionIn(stack, code) } };
}

function unitText({ tools, params, inputs, limits }: RunMessage): string {
  const chars = String(limits.resultChars);
  return `{"tools":${JSON.stringify(tools)},"params":${params},"inputs":${inputs},"resultChars":${chars}}`;
}

export interface UnitServerParts {
  readonly post: (message: FromWorker) => void;
  readonly clock: ComputeClock;
  readonly first: PreparedVm;
  /** Returns a VM in which nothing has run. */
  readonly prepare: PrepareVm;
  /** Ends this process: the message did not come from main. */
  readonly abort: () => void;
}

/**
 * Handles main's messages, one unit at a time, each on its own VM. Creates the next VM as soon as a unit
 * ends, so that the next unit does not wait for it. A message that main could not have sent ends the process.
 */
export function createUnitServer({
  post,
  clock,
  first,
  prepare,
  abort,
}: UnitServerParts): (message: unknown) => void {
  let vm = Promise.resolve(first);
  let running: { readonly run: number; readonly vm: ScriptVm } | undefined;

  const refresh = (run: number): void => {
    running = undefined;
    vm = prepare();
    void vm.then(() => post({ type: 'fresh', run }));
  };
  const answer = (run: number, { end, log, use }: Slice): void => {
    switch (end.type) {
      case 'turn':
        return post({ type: 'turn', run, use, log, calls: end.calls });
      case 'done':
        post({ type: 'done', run, use, log, json: end.json });
        return refresh(run);
      case 'failed':
        post({ type: 'failed', run, use, log, error: end.error, ...(end.call && { call: end.call }) });
        return refresh(run);
      default:
        assertNever(end);
    }
  };
  return (message) => {
    const parsed = ToWorker.safeParse(message);
    if (!parsed.success) return abort();
    const request = parsed.data;
    switch (request.type) {
      case 'run':
        void vm.then(async (prepared) => {
          const script = createScriptVm(prepared, clock);
          running = { run: request.run, vm: script };
          answer(request.run, await script.start(request));
        });
        return;
      case 'complete-call':
        if (running?.run === request.run)
          answer(request.run, running.vm.completeCall(request.call, request.ok, request.json));
        return;
      case 'ping':
        return post({ type: 'pong', beat: request.beat });
      default:
        assertNever(request);
    }
  };
}
