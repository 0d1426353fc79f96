import type { ToolAlias } from '#shared/tool-name';
import type { EncodeJson } from './bounded-json';
import type { GuestErrors } from './guest-errors';
import type { Emit, HostCalls } from './host-calls';
import type { JsonBounds } from './json-meter';
import type { ScriptArtifacts } from './script-artifacts';
import type { NewScriptTools, ScriptTools } from './script-tools';

type Script = (
  tools: ScriptTools,
  params: unknown,
  inputs: unknown,
  artifacts: ScriptArtifacts,
  log: (...values: unknown[]) => void,
) => Promise<unknown>;

export interface GuestStart {
  readonly tools: readonly ToolAlias[];
  readonly params: unknown;
  readonly inputs: unknown;
  readonly resultChars: number;
}

export interface RunnerParts {
  readonly emit: Emit;
  readonly errors: GuestErrors;
  readonly encode: EncodeJson;
  readonly calls: HostCalls;
  readonly newTools: NewScriptTools;
  readonly artifacts: ScriptArtifacts;
  readonly bounds: JsonBounds;
}

export interface GuestRunner {
  start(script: Script, unit: string): void;
  settle(call: number, ok: boolean, json: string): void;
}

/** Runs inside the guest; closes over nothing, because its text is what crosses. Carries one script to `done` or `fail`. */
export function createScriptRunner(parts: RunnerParts): GuestRunner {
  const { emit, errors, encode, calls, bounds } = parts;
  const invalidResult = { kind: 'CODE', code: 'INVALID_RESULT' };
  const tooLarge = { kind: 'BUDGET', code: 'OUTPUT_LIMIT' };
  const small = { chars: 1_000, nodes: 200, depth: 8 };
  const shown = (value: unknown): string => {
    if (typeof value === 'string') return value.slice(0, 1_000);
    try {
      return value === undefined ? 'undefined' : encode(value, small, { invalid: invalidResult, tooLarge });
    } catch (thrown) {
      return `[${errors.describe(thrown).message}]`;
    }
  };
  const log = (...values: unknown[]): void => {
    const line = values.slice(0, 20).map(shown).join(' ').slice(0, 1_000);
    emit('log', JSON.stringify(line));
  };
  const call = (tool: string, args: unknown): Promise<unknown> => {
    const invalid = { kind: 'TOOL', code: 'INVALID_ARGUMENTS', tool };
    if (typeof args !== 'object' || args === null || Array.isArray(args)) {
      throw errors.typed(invalid, 'a tool takes one object of named arguments');
    }
    const json = encode(args, bounds, { invalid, tooLarge: invalid });
    return calls.begin(`"op":"tool","tool":${JSON.stringify(tool)},"json":${JSON.stringify(json)}`, tool);
  };
  const handleOf = (artifact: unknown): unknown =>
    typeof artifact === 'object' && artifact !== null ? Reflect.get(artifact, 'handle') : artifact;
  const finish = async (returned: unknown, chars: number): Promise<void> => {
    const wrong = (what: string) =>
      errors.typed(invalidResult, `a script returns {summary, state?, artifacts?}: ${what}`);
    if (typeof returned !== 'object' || returned === null) throw wrong('it returned something else');
    const { summary, state, artifacts, ...others } = returned as Record<string, unknown>;
    const extra = Object.keys(others)[0];
    if (extra !== undefined) throw wrong(`"${extra.slice(0, 60)}" belongs in state`);
    if (typeof summary !== 'string') throw wrong('summary is a text');
    if (state !== undefined && (typeof state !== 'object' || state === null || Array.isArray(state))) {
      throw wrong('state is an object');
    }
    if (artifacts !== undefined && !Array.isArray(artifacts)) throw wrong('artifacts is a list of handles');
    const handles = artifacts && (await Promise.all(artifacts as unknown[])).map(handleOf);
    if (handles?.some((handle) => typeof handle !== 'string')) throw wrong('artifacts is a list of handles');
    const result = { summary, state: state ?? {}, artifacts: handles ?? null };
    const bounded = { chars, nodes: 100_000, depth: 64 };
    emit('done', encode(result, bounded, { invalid: invalidResult, tooLarge }));
  };
  const fail = (thrown: unknown): void => emit('fail', JSON.stringify(errors.describe(thrown)));
  return {
    start(script, unit) {
      const { tools, params, inputs, resultChars } = JSON.parse(unit) as GuestStart;
      script(parts.newTools(tools, call), params, inputs, parts.artifacts, log)
        .then((returned) => finish(returned, resultChars))
        .then(undefined, fail);
    },
    settle: calls.settle,
  };
}
