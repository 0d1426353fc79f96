import type { EncodeJson } from './bounded-json';
import type { HostCalls } from './host-calls';
import type { GuestErrors } from './guest-errors';
import type { JsonBounds } from './json-meter';

interface Slice {
  readonly from?: number;
  readonly to?: number;
  readonly grep?: string;
}

/** The `artifacts` object of scripts. A handle may be its text or the object that `write` returned. */
export interface ScriptArtifacts {
  write(name: string, value: unknown): Promise<unknown>;
  read(artifact: unknown, slice?: Slice): Promise<unknown>;
}

export interface ArtifactParts {
  readonly calls: HostCalls;
  readonly encode: EncodeJson;
  readonly errors: GuestErrors;
  readonly bounds: JsonBounds;
}

/** Runs inside the guest as text, so it must not close over anything. */
export function createScriptArtifacts({ calls, encode, errors, bounds }: ArtifactParts): ScriptArtifacts {
  const refusals = {
    invalid: { kind: 'CODE', code: 'INVALID_RESULT' },
    tooLarge: { kind: 'BUDGET', code: 'OUTPUT_LIMIT' },
  };
  const wrong = (what: string): Error => errors.typedError({ kind: 'CODE', code: 'RUNTIME_ERROR' }, what);
  const text = (value: unknown): string => encode(value, bounds, refusals);
  const checkLine = (name: string, value: unknown): void => {
    if (value !== undefined && !(Number.isInteger(value) && (value as number) >= 1)) {
      throw wrong(`artifacts.read: ${name} is a line number, counted from 1`);
    }
  };
  const sliceFields = ({ from, to, grep }: Slice): string => {
    checkLine('from', from);
    checkLine('to', to);
    if (grep !== undefined && (typeof grep !== 'string' || grep.length > 1_000)) {
      throw wrong('artifacts.read: grep is a text of at most 1,000 characters');
    }
    return Object.entries({ from, to, grep })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
      .join('');
  };
  return Object.freeze({
    async write(name: string, value: unknown) {
      if (typeof name !== 'string' || name === '' || name.length > 200) {
        throw wrong('artifacts.write(name, value): name is a text of 1 to 200 characters');
      }
      const type = typeof value === 'string' ? 'text/plain' : 'application/json';
      const content = typeof value === 'string' ? text(value) : JSON.stringify(text(value));
      return calls.begin(`"op":"write","name":${JSON.stringify(name)},"type":"${type}","content":${content}`);
    },
    async read(artifact: unknown, slice: Slice = {}) {
      const named: unknown =
        typeof artifact === 'object' && artifact !== null ? Reflect.get(artifact, 'handle') : artifact;
      if (typeof named !== 'string' || named.length > 200) {
        throw wrong('artifacts.read(handle): a handle starts with artifact://sha256/');
      }
      return calls.begin(`"op":"read","handle":${JSON.stringify(named)}${sliceFields(slice)}`);
    },
  });
}
