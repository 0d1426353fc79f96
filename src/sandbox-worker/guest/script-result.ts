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
    errors.typedError(refusals.invalid, `a script returns {summary, state?, artifacts?}: ${what}`);
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
  const named = ['summary', 'state', 'artifacts'];
  const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
  /**
   * What else a script may return: a plain value becomes the state, with a summary of its size. Members beside
   * `summary` belong to the state where it does not have them.
   */
  const completed = (returned: unknown): Record<string, unknown> => {
    if (returned === undefined) throw wrong('it returned nothing');
    if (typeof returned === 'function') throw wrong('it returned a function; call it');
    if (typeof returned === 'string') return { summary: returned.slice(0, 200), state: { text: returned } };
    if (Array.isArray(returned))
      return { summary: counted(returned.length, 'item'), state: { items: returned } };
    if (!isObject(returned)) return { summary: `${returned as number}`, state: { value: returned } };
    const prototype = Reflect.getPrototypeOf(returned);
    if (prototype !== Object.prototype && prototype !== null)
      return { summary: '1 value', state: { value: returned } };
    const fields = { ...returned } as Record<string, unknown>;
    const others = Object.keys(fields).filter((name) => !named.includes(name));
    const state = stateOf(fields['state']) as Record<string, unknown>;
    const doubled = others.find((name) => Object.hasOwn(state, name));
    if (doubled !== undefined) throw wrong(`"${doubled.slice(0, 60)}" is also in state`);
    const whole = { ...state, ...Object.fromEntries(others.map((name) => [name, fields[name]])) };
    const { summary = counted(Object.keys(whole).length, 'value') } = fields;
    return { summary, state: whole, artifacts: fields['artifacts'] };
  };
  return async (returned, chars) => {
    const { summary, state, artifacts } = completed(returned);
    if (typeof summary !== 'string') throw wrong('summary is a text');
    const result = { summary, state: stateOf(state), artifacts: await handlesOf(artifacts) };
    return encode(result, { chars, nodes: 100_000, depth: 64 }, refusals);
  };
}
