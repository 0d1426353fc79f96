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
