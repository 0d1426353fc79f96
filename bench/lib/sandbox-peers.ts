import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import { QuickJS } from 'quickjs-wasi';
import { run } from 'run';

/** Twenty calls of 100 ms at once: what each side is given, in its own names. */
export const TWENTY_CALLS = 'await Promise.all(Array.from({ length: 20 }, () => tools.a.b({})));';
export const slowly = <T>(value: T): Promise<T> =>
  new Promise((resolve) => setTimeout(() => resolve(value), 100));

const elapsed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

/** `run` (npm): QuickJS in a thread of this process; no process, no kernel walls, no approval. Milliseconds. */
export async function measureRun(rounds: number) {
  const tools = { a: { b: () => slowly(1) } };
  const one = (source: string) => run({ source, hostFunctions: { tools: { b: tools.a.b } } });
  const cold = await elapsed(() => one("return 'x'"));
  const warm: number[] = [];
  for (let round = 0; round < rounds; round += 1) warm.push(await elapsed(() => one("return 'x'")));
  const calls = await elapsed(() => one(TWENTY_CALLS.replace('tools.a.b', 'tools.b')));
  return { cold, warm, calls };
}

/** The engine alone, in this process: a fresh machine and one line of code; the floor. Milliseconds. */
export async function measureRawQuickJs(rounds: number): Promise<readonly number[]> {
  const file = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
  const wasm = await WebAssembly.compile(readFileSync(file));
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    times.push(
      await elapsed(async () => {
        const vm = await QuickJS.create({ wasm });
        vm.evalCode("'x'").dispose();
        vm.dispose();
      }),
    );
  }
  return times;
}
