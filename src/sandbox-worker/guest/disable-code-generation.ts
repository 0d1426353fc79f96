/**
 * Runs inside the guest, before any script; closes over nothing, because its text is what crosses.
 * Every way from a value to source code ends in the same TypeError: the four function constructors and `eval`.
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
