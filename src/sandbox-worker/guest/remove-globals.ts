/**
 * Runs inside the guest, before any script; closes over nothing, because its text is what crosses.
 * Removes every global not allowed, and the one function of an allowed one that is random.
 */
export function removeGlobals(allowed: readonly string[]): void {
  const spared = new Set<PropertyKey>(allowed);
  for (const key of Reflect.ownKeys(globalThis)) {
    if (!spared.has(key)) Reflect.deleteProperty(globalThis, key);
  }
  Reflect.deleteProperty(Math, 'random');
}
