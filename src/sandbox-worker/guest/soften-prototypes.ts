/** Creates the setter for one name of one prototype; see OWN_SETTER in prelude.ts. */
export type OwnSetter = (prototype: object, name: PropertyKey) => (value: unknown) => void;

/**
 * Runs inside the guest as text before the prototypes are frozen, so it must not close over anything. A
 * frozen prototype would also prevent `error.name = …` on an object that inherits from it: an accessor gives
 * the object its own property instead.
 */
export function softenPrototypes(ownSetter: OwnSetter): void {
  const soften = (prototype: object, names: readonly PropertyKey[]): void => {
    for (const name of names) {
      const found = Reflect.getOwnPropertyDescriptor(prototype, name);
      if (found === undefined || !('value' in found)) continue;
      const value: unknown = found.value;
      const set = ownSetter(prototype, name);
      Reflect.defineProperty(prototype, name, { get: () => value, set, configurable: true });
    }
  };
  soften(Object.prototype, ['constructor', 'toString', 'toLocaleString', 'valueOf', 'hasOwnProperty']);
  for (const type of [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError]) {
    soften(type.prototype, ['constructor', 'name', 'message', 'toString']);
  }
}
