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
