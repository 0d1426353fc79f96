import type { EncodeJson } from './bounded-json';
import type { GuestErrors } from './guest-errors';

/**
 * Encodes any value that a script returned as the JSON text of `{summary, state, artifacts}`, at most `chars`
 * long.
 */
export type EncodeResult = (returned: unknown, chars: number) => Promise<string>;

/** Runs inside the guest as text, so it must not close over anything. */
export function createResultEncoder(errors: GuestErrors, encode: EncodeJson): EncodeResult {
  const refusals = {
    invalid: { kind: 'CODE', code: 'INVALID_RESULT' },
    tooLarge: { kind: 'BUDGET', code: 'OUTPUT_LIMIT' },
  };
  const wrong = (what: string): Error =>
    errors.typed(refusals.invalid, `a script returns {summary, state?, artifacts?}: ${what}`);
  const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

  const stateOf = (state: unknown): object => {
    if (state === undefined) return {};
    if (!isObject(state) || Array.isArray(state)) throw wrong('state is an object');
    return state;
  };
  const handlesOf = async (artifacts: unknown): Promise<readonly unknown[] | null> => {
    if (artifacts === undefined) return null;
    if (!Array.isArray(artifacts)) throw wrong('artifacts is a list of handles');
    // Scripts may return results of `artifacts.write` without awaiting them.
    const written = await Promise.all(artifacts as unknown[]);
    return written.map((artifact) => {
      const handle: unknown = isObject(artifact) ? Reflect.get(artifact, 'handle') : artifact;
      if (typeof handle !== 'string') throw wrong('artifacts is a list of handles');
      return handle;
    });
  };
  return async (returned, chars) => {
    if (!isObject(returned)) throw wrong('it returned something else');
    const { summary, state, artifacts, ...others } = returned as Record<string, unknown>;
    const [extra] = Object.keys(others);
    if (extra !== undefined) throw wrong(`"${extra.slice(0, 60)}" belongs in state`);
    if (typeof summary !== 'string') throw wrong('summary is a text');
    const result = { summary, state: stateOf(state), artifacts: await handlesOf(artifacts) };
    return encode(result, { chars, nodes: 100_000, depth: 64 }, refusals);
  };
}
