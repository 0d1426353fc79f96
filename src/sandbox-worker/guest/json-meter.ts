import type { GuestErrors, TypedError } from './guest-errors';

export interface JsonBounds {
  readonly chars: number;
  readonly nodes: number;
  readonly depth: number;
}

/** The typed errors to throw: for values that JSON cannot represent, and for exceeded bounds. */
export interface JsonRefusals {
  readonly invalid: TypedError;
  readonly tooLarge: TypedError;
}

export interface JsonMeter {
  put(text: string): void;
  putQuoted(text: string): void;
  count(nodes: number): void;
  enter(value: object): void;
  leave(): void;
  invalid(what: string): Error;
  text(): string;
}
export type NewJsonMeter = (bounds: JsonBounds, refusals: JsonRefusals) => JsonMeter;

/**
 * Runs inside the guest as text, so it must not close over anything. Counts the cost of one JSON text and
 * throws when it exceeds the bounds.
 */
export function createJsonMeters(errors: GuestErrors): NewJsonMeter {
  const misfits = [
    [Promise, 'a promise (is an await missing?)'],
    [Map, 'a Map (use Object.fromEntries)'],
    [Set, 'a Set (spread it into an array)'],
    [ArrayBuffer, 'binary data'],
    [Reflect.getPrototypeOf(Uint8Array), 'binary data (use Array.from)'],
  ] as [abstract new () => object, string][];

  return (bounds, refusals) => {
    const parts: string[] = [];
    const above: object[] = [];
    let nodes = 0;
    let chars = 0;
    const invalid = (what: string) => errors.typedError(refusals.invalid, `${what} is not JSON`);
    const spend = (more: number): void => {
      chars += more;
      if (chars > bounds.chars)
        throw errors.typedError(refusals.tooLarge, `more than ${bounds.chars} characters of JSON`);
    };
    const put = (text: string): void => {
      spend(text.length);
      parts.push(text);
    };
    return {
      put,
      putQuoted(text) {
        // Charge before quoting too: quoting 30 MB cannot be interrupted.
        spend(text.length);
        chars -= text.length;
        put(JSON.stringify(text));
      },
      count(more) {
        nodes += more;
        if (nodes > bounds.nodes)
          throw errors.typedError(refusals.tooLarge, `more than ${bounds.nodes} JSON values`);
      },
      enter(value) {
        for (const [type, what] of misfits) if (value instanceof type) throw invalid(what);
        if (above.includes(value)) throw invalid('a value that contains itself');
        if (above.length >= bounds.depth) throw invalid(`nesting deeper than ${bounds.depth}`);
        above.push(value);
      },
      leave: () => void above.pop(),
      invalid,
      text: () => parts.join(''),
    };
  };
}
