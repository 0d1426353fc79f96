import type { QuickJSOptions, Snapshot } from 'quickjs-wasi';
import wasmDataUrl from 'quickjs-wasi/quickjs.wasm?url&inline';
import { wasmBytes } from './vm';

/** The engine, compiled. */
export type WasiEngine = NonNullable<QuickJSOptions['wasm']>;
export interface EngineMemory {
  readonly buffer: ArrayBuffer;
}

/** A machine's whole memory after the prelude, and where in it the bridge's two functions lie. */
export interface Template {
  readonly snapshot: Snapshot;
  readonly start: number;
  readonly settle: number;
}

/** Where the template comes from: made here, or at build time. */
export type TakeTemplate = (wasm: WasiEngine) => Promise<Template>;

export function compileEngine(): Promise<WasiEngine> {
  return WebAssembly.compile(wasmBytes(wasmDataUrl));
}

/** No clock, no randomness and no output reach the engine, whatever asks for them. */
export function engineOptions(
  wasm: WasiEngine,
  keepMemory: (memory: EngineMemory) => void = () => undefined,
): Pick<QuickJSOptions, 'wasm' | 'wasi' | 'timezoneOffset'> {
  return {
    wasm,
    timezoneOffset: 0,
    wasi: (memory) => {
      keepMemory(memory);
      return {
        clock_time_get(_clock: number, _precision: bigint, resultPtr: number) {
          new DataView(memory.buffer).setBigUint64(resultPtr, 0n, true);
          return 0;
        },
        random_get(pointer: number, length: number) {
          new Uint8Array(memory.buffer, pointer, length).fill(0);
          return 0;
        },
        fd_write: () => 0,
      };
    },
  };
}
