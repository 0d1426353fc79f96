/**
 * Runs inside the guest, before any script; closes over nothing, because its text is what crosses.
 * Removes every global not allowed, then freezes whatever can still be reached, the global object included.
 */
export function hardenGlobals(allowed: readonly string[]): void {
  const spared = new Set<PropertyKey>(allowed);
  for (const key of Reflect.ownKeys(globalThis)) {
    if (!spared.has(key)) Reflect.deleteProperty(globalThis, key);
  }
  Reflect.deleteProperty(Math, 'random');

  interface Iterators {
    readonly from?: (source: object) => object;
    readonly prototype?: { readonly map?: (this: object, change: (value: unknown) => unknown) => object };
  }
  // A frozen prototype would also stop `error.name = …` on an object that inherits from it; a setter gives it back.
  const soften = (prototype: object, names: readonly PropertyKey[]): void => {
    for (const name of names) {
      const found = Reflect.getOwnPropertyDescriptor(prototype, name);
      if (found === undefined || !('value' in found)) continue;
      const value: unknown = found.value;
      Reflect.defineProperty(prototype, name, {
        get: () => value,
        set(this: object, next: unknown) {
          const own = { value: next, writable: true, enumerable: true, configurable: true };
          if (this !== prototype) Reflect.defineProperty(this, name, own);
        },
        enumerable: false,
        configurable: true,
      });
    }
  };
  soften(Object.prototype, ['constructor', 'toString', 'toLocaleString', 'valueOf', 'hasOwnProperty']);
  for (const type of [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError]) {
    soften(type.prototype, ['constructor', 'name', 'message', 'toString']);
  }

  const { from, prototype } = (Reflect.get(globalThis, 'Iterator') ?? {}) as Iterators;
  const iterators = { from, map: prototype?.map };
  const hidden: unknown[] = [
    [][Symbol.iterator](),
    ''[Symbol.iterator](),
    new Map().entries(),
    new Set().entries(),
    ''.matchAll(/x/g),
    // Two prototypes of iterators that have no name of their own.
    iterators.map?.call([].values(), String),
    iterators.from?.({ next: () => ({ done: true, value: undefined }) }),
    function* () {},
    async function* () {},
    async function () {},
    (function* () {})(),
    (async function* () {})(),
  ];
  const seen = new Set<object>();
  const open: unknown[] = [globalThis, ...hidden];
  while (open.length > 0) {
    const next = open.pop();
    if ((typeof next !== 'object' && typeof next !== 'function') || next === null || seen.has(next)) continue;
    seen.add(next);
    for (const key of Reflect.ownKeys(next)) {
      const found = Reflect.getOwnPropertyDescriptor(next, key);
      open.push(found?.value, found?.get, found?.set);
    }
    open.push(Reflect.getPrototypeOf(next));
  }
  for (const reached of seen) Object.freeze(reached);
}
