import type { RunMessage } from '#shared/sandbox-protocol';
import { findSyntaxError, positionIn, SCRIPT_FILE, wrapScript } from './compile-script';
import type { ComputeClock } from './compute-meter';
import { nameFailure } from './script-failure';
import type { NamedFailure } from './script-failure';
import { openUnitRun } from './unit-run';
import type { Slice } from './unit-run';
import type { EngineError, PreparedVm } from './vm';

export interface ScriptVm {
  start(unit: RunMessage): Promise<Slice>;
  settle(call: number, ok: boolean, json: string): Slice;
}

/** Runs exactly one unit on a VM in which nothing has run. */
export function createScriptVm(prepared: PreparedVm, clock: ComputeClock): ScriptVm {
  let settle: ScriptVm['settle'] = () => {
    throw new Error('settle before start');
  };
  return {
    async start(unit) {
      const run = await openUnitRun(prepared, clock, unit);
      settle = (call, ok, json) => run.settle(call, ok, json);
      const syntax = findSyntaxError(unit.code);
      if (syntax !== undefined) return run.refused(syntax);
      return run.slice((vm) => {
        const error = vm.start(wrapScript(unit.code), SCRIPT_FILE, unitText(unit));
        return error && uncompiled(error, unit.code);
      });
    },
    settle: (call, ok, json) => settle(call, ok, json),
  };
}

/** An engine error about a script that the earlier parser accepted; no code of the script has run yet. */
function uncompiled({ name, message, stack }: EngineError, code: string): NamedFailure {
  if (name !== 'SyntaxError')
    return nameFailure(JSON.stringify({ message: `${name}: ${message}`, stack, typed: null }), code);
  const shortMessage = message.slice(0, 500);
  return { error: { kind: 'CODE', code: 'SYNTAX_ERROR', message: shortMessage, ...positionIn(stack, code) } };
}

function unitText({ tools, params, inputs, limits }: RunMessage): string {
  const chars = String(limits.resultChars);
  return `{"tools":${JSON.stringify(tools)},"params":${params},"inputs":${inputs},"resultChars":${chars}}`;
}
