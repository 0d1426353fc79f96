/**
 * Runs inside the guest as text before any script, so it must not close over anything. Removes every global
 * that is not allowed, and the one random function of an allowed global.
 */
export function removeGlobals(allowed: readonly string[]): void {
  const spared = new Set<PropertyKey>(allowed);
  for (const key of Reflect.ownKeys(globalThis)) {
    if (!spared.has(key)) Reflect.deleteProperty(globalThis, key);
  }
  Reflect.deleteProperty(Math, 'random');
}

/**
 * Runs inside the guest as text before any script, so it must not close over anything. Makes every way to
 * compile source text throw the same TypeError: the four function constructors and `eval`.
 */
export function disableCodeGeneration(): void {
  const refuse = function Function(): never {
    throw new TypeError('code generation is disabled');
  };
  const samples = [
    function () {},
    async function () {},
    function* () {},
    async function* () {},
  ] as readonly object[];
  for (const sample of samples) {
    const prototype = Reflect.getPrototypeOf(sample);
    if (prototype !== null) Reflect.defineProperty(prototype, 'constructor', { value: refuse });
  }
  Reflect.defineProperty(refuse, 'prototype', { value: Reflect.getPrototypeOf(samples[0] ?? refuse) });
  Reflect.defineProperty(globalThis, 'Function', { value: refuse });
  Reflect.defineProperty(globalThis, 'eval', { value: refuse });
}

/** Creates the setter for one name of one prototype; see OWN_SETTER in prelude.ts. */
type OwnSetter = (prototype: object, name: PropertyKey) => (value: unknown) => void;

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

interface Iterators {
  readonly from?: (source: object) => object;
  readonly prototype?: { readonly map?: (change: (value: unknown) => unknown) => object };
}

/**
 * Runs inside the guest as text before any script, so it must not close over anything. Freezes everything
 * reachable from the globals and from the kinds of objects without a global name.
 */
export function freezeReachable(): void {
  const lazyIterators = (): unknown[] => {
    const { from, prototype } = (Reflect.get(globalThis, 'Iterator') ?? {}) as Iterators;
    const wrapped = from?.({ next: () => ({ done: true, value: undefined }) });
    return [wrapped, prototype?.map?.call([].values(), String)];
  };
  const hidden: unknown[] = [
    [][Symbol.iterator](),
    ''[Symbol.iterator](),
    new Map().entries(),
    new Set().entries(),
    ''.matchAll(/x/g),
    ...lazyIterators(),
    function* () {},
    async function* () {},
    async function () {},
    (function* () {})(),
    (async function* () {})(),
  ];
  const isObject = (value: unknown): value is object =>
    (typeof value === 'object' || typeof value === 'function') && value !== null;
  const seen = new Set<object>();
  const open: unknown[] = [globalThis, ...hidden];
  while (open.length > 0) {
    const next = open.pop();
    if (!isObject(next) || seen.has(next)) continue;
    seen.add(next);
    for (const key of Reflect.ownKeys(next)) {
      const found = Reflect.getOwnPropertyDescriptor(next, key);
      open.push(found?.value, found?.get, found?.set);
    }
    open.push(Reflect.getPrototypeOf(next));
  }
  for (const reached of seen) Object.freeze(reached);
}
