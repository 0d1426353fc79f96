import type { EncodeJson } from './bounded-json';
import type { GuestErrors } from './guest-errors';
import type { Emit } from './host-calls';

export type Log = (...values: unknown[]) => void;

/** Runs inside the guest as text, so it must not close over anything. `log` of scripts, also as `console.log`. */
export function createScriptLog(emit: Emit, errors: GuestErrors, encode: EncodeJson): Log {
  const logged = {
    invalid: { kind: 'CODE', code: 'INVALID_RESULT' },
    tooLarge: { kind: 'BUDGET', code: 'OUTPUT_LIMIT' },
  };
  const shown = (value: unknown): string => {
    if (typeof value === 'string') return value.slice(0, 1_000);
    if (value === undefined) return 'undefined';
    try {
      return encode(value, { chars: 1_000, nodes: 200, depth: 8 }, logged);
    } catch (thrown) {
      return `[${errors.describe(thrown).message}]`;
    }
  };
  return (...values) => {
    emit('log', JSON.stringify(values.slice(0, 20).map(shown).join(' ').slice(0, 1_000)));
  };
}
