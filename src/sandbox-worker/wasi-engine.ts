import type { QuickJSOptions, Snapshot } from 'quickjs-wasi';
import wasmDataUrl from 'quickjs-wasi/quickjs.wasm?url&inline';
import { wasmBytes } from './vm';

/** The compiled engine. */
export type WasiEngine = NonNullable<QuickJSOptions['wasm']>;
export interface EngineMemory {
  readonly buffer: ArrayBuffer;
}

/** A VM's whole memory after the prelude, and the location of the bridge's two functions in it. */
export interface Template {
  readonly snapshot: Snapshot;
  readonly start: number;
  readonly completeCall: number;
}

/** The source of the template: created at run time or at build time. */
export type TakeTemplate = (wasm: WasiEngine) => Promise<Template>;

export function compileEngine(): Promise<WasiEngine> {
  return WebAssembly.compile(wasmBytes(wasmDataUrl));
}

/** Denies the engine any clock, randomness and output. */
export function engineOptions(
  wasm: WasiEngine,
  onMemory: (memory: EngineMemory) => void = () => undefined,
): Pick<QuickJSOptions, 'wasm' | 'wasi' | 'timezoneOffset'> {
  return {
    wasm,
    timezoneOffset: 0,
    wasi: (memory) => {
      onMemory(memory);
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
