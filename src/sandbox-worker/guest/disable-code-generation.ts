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
