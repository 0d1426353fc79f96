import type { ScriptDates } from './script-dates';

/**
 * Runs inside the guest as text, so it must not close over anything. The `structuredClone` of scripts: copies
 * plain objects, arrays, maps, sets and dates, also those that contain themselves.
 */
export function createScriptClone({ Date, isoOf }: ScriptDates): (value: unknown) => unknown {
  return (value) => {
    const copies = new Map<unknown, unknown>();
    const copy = (one: unknown): unknown => {
      if (typeof one === 'function' || typeof one === 'symbol') {
        throw new TypeError(`structuredClone cannot copy a ${typeof one}`);
      }
      if (typeof one !== 'object' || one === null) return one;
      if (copies.has(one)) return copies.get(one);
      const iso = isoOf(one);
      if (iso !== undefined) return Reflect.construct(Date as new (text: unknown) => object, [iso ?? NaN]);
      const made = Array.isArray(one)
        ? []
        : one instanceof Map
          ? new Map()
          : one instanceof Set
            ? new Set()
            : {};
      copies.set(one, made);
      if (one instanceof Map)
        for (const [key, member] of one) (made as Map<unknown, unknown>).set(copy(key), copy(member));
      else if (one instanceof Set) for (const member of one) (made as Set<unknown>).add(copy(member));
      else
        for (const [key, member] of Object.entries(one))
          Reflect.defineProperty(made, key, {
            value: copy(member),
            writable: true,
            enumerable: true,
            configurable: true,
          });
      return made;
    };
    return copy(value);
  };
}
