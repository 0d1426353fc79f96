import type { ToolAlias } from '#shared/tool-name';
import type { EncodeJson } from './bounded-json';
import type { GuestErrors } from './guest-errors';
import type { Emit, HostCalls } from './host-calls';
import type { JsonBounds } from './json-meter';
import type { ScriptArtifacts } from './script-artifacts';
import type { EncodeResult } from './script-result';
import type { Log } from './script-log';
import type { NewScriptTools, ScriptTools } from './script-tools';

/** The parameters of the function whose body is the script. */
type ScriptScope = [
  tools: ScriptTools,
  params: unknown,
  inputs: unknown,
  artifacts: ScriptArtifacts,
  log: Log,
];
type Script = (...scope: ScriptScope) => Promise<unknown>;

interface GuestStart {
  readonly tools: readonly ToolAlias[];
  readonly params: unknown;
  readonly inputs: unknown;
  readonly resultChars: number;
}

export interface RunnerParts {
  readonly emit: Emit;
  readonly errors: GuestErrors;
  readonly encode: EncodeJson;
  readonly encodeResult: EncodeResult;
  readonly calls: HostCalls;
  readonly newTools: NewScriptTools;
  readonly artifacts: ScriptArtifacts;
  readonly log: Log;
  readonly bounds: JsonBounds;
}

export interface GuestRunner {
  start(script: Script, unit: string): void;
  completeCall(call: number, ok: boolean, json: string): void;
}

/**
 * Runs inside the guest as text, so it must not close over anything. Runs one script until `done` or `fail`.
 */
export function createScriptRunner(parts: RunnerParts): GuestRunner {
  const { emit, errors, encode, calls, bounds } = parts;
  const call = (tool: string, args: unknown): Promise<unknown> => {
    const invalid = { kind: 'TOOL', code: 'INVALID_ARGUMENTS', tool };
    if (typeof args !== 'object' || args === null || Array.isArray(args)) {
      throw errors.typedError(invalid, 'a tool takes one object of named arguments');
    }
    const json = encode(args, bounds, { invalid, tooLarge: invalid });
    return calls.begin(`"op":"tool","tool":${JSON.stringify(tool)},"json":${JSON.stringify(json)}`, tool);
  };
  /**
   * `inputs.a.state.n` reads the same as `inputs.a.n`: a result without a member of this name gets a hidden one,
   * so that neither JSON nor a copy contains it.
   */
  const withState = (inputs: unknown): unknown => {
    if (typeof inputs !== 'object' || inputs === null) return inputs;
    const { previous, ...own } = inputs as Readonly<Record<string, unknown>>;
    const earlier: unknown[] =
      typeof previous === 'object' && previous !== null ? Object.values(previous) : [];
    for (const state of [...Object.values(own), ...earlier]) {
      if (typeof state !== 'object' || state === null || Array.isArray(state)) continue;
      if (Object.hasOwn(state, 'state')) continue;
      Reflect.defineProperty(state, 'state', { value: state, writable: true, configurable: true });
    }
    return inputs;
  };
  return {
    start(script, unit) {
      const { tools, params, inputs, resultChars } = JSON.parse(unit) as GuestStart;
      script(parts.newTools(tools, call), params, withState(inputs), parts.artifacts, parts.log)
        .then((returned) => parts.encodeResult(returned, resultChars))
        .then(
          (result) => emit('done', result),
          (thrown: unknown) => emit('fail', JSON.stringify(errors.describe(thrown))),
        );
    },
    completeCall: calls.completeCall,
  };
}
