import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core';
import type { RunMessage } from '#shared/sandbox-protocol';
import { findSyntaxError, positionIn, SCRIPT_FILE, wrapScript } from './compile-script';
import type { ComputeClock } from './compute-meter';
import { GUEST_PRELUDE } from './guest/prelude';
import type { GuestInstance } from './quickjs-module';
import { nameFailure } from './script-failure';
import type { NamedFailure } from './script-failure';
import { createUnitRun } from './unit-run';
import type { Slice } from './unit-run';

export interface ScriptVm {
  start(unit: RunMessage): Slice;
  settle(call: number, ok: boolean, json: string): Slice;
}

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
          return undefined;
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
