import loadEmscripten from '@jitl/quickjs-wasmfile-release-sync/emscripten-module';
import { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi';
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core';
import type { CustomizeVariantOptions, QuickJSContext, QuickJSSyncVariant } from 'quickjs-emscripten-core';
import wasmDataUrl from '@jitl/quickjs-wasmfile-release-sync/wasm?url&inline';

const PAGE = 64 * 1024;
const MIB = 1024 * 1024;
/** What the engine's binary asks for at least, and what no unit can pass whatever its budget says. */
export const MIN_GUEST_MIB = 16;
export const MAX_GUEST_MIB = 64;
/** More than 64 KiB and recursion reaches the end of the engine's own stack before the guest's limit. */
const STACK_BYTES = 64 * 1024;

/** One QuickJS instance with a memory of its own; nothing of an earlier unit can be in it. */
export interface GuestInstance {
  readonly context: QuickJSContext;
  /** Megabytes the guest's memory has grown to; it never shrinks. */
  memMb(): number;
  /** Whether the memory has come near its limit, where a failed allocation explains what broke. */
  memoryFull(): boolean;
  /** Lowers the memory's limit for the unit at hand. */
  limitMemory(megabytes: number): void;
  setInterrupt(stop: () => boolean): void;
}

/** Compiles the engine once; the function it gives makes instances in about a millisecond each. */
export async function loadQuickJs(): Promise<() => Promise<GuestInstance>> {
  const bytes = Buffer.from(wasmDataUrl.slice(wasmDataUrl.indexOf(',') + 1), 'base64');
  const wasmModule = await WebAssembly.compile(bytes);
  const base: QuickJSSyncVariant = {
    type: 'sync',
    importFFI: () => Promise.resolve(QuickJSFFI),
    importModuleLoader: () => Promise.resolve(loadEmscripten),
  };
  return async () => {
    const memory = createCappedMemory();
    const variant = newVariant(base, { wasmModule, wasmMemory: memory.memory, emscriptenModule: SILENT });
    const runtime = (await newQuickJSWASMModuleFromVariant(variant)).newRuntime();
    runtime.setMaxStackSize(STACK_BYTES);
    const context = runtime.newContext({ intrinsics: INTRINSICS });
    return {
      context,
      memMb: () => memory.memory.buffer.byteLength / MIB,
      memoryFull: memory.full,
      limitMemory: memory.limit,
      setInterrupt: (stop) => runtime.setInterruptHandler(stop),
    };
  };
}

/** The engine says nothing on the worker's output, not even when it breaks. */
const SILENT = { print: () => undefined, printErr: () => undefined } as NonNullable<
  CustomizeVariantOptions['emscriptenModule']
>;

/** No Date: the guest has no clock. Proxy is for the prelude alone, which takes it away. */
const INTRINSICS = {
  BaseObjects: true,
  Eval: true,
  StringNormalize: true,
  RegExp: true,
  RegExpCompiler: true,
  JSON: true,
  Proxy: true,
  MapSet: true,
  TypedArrays: true,
  Promise: true,
  BigInt: true,
};

/**
 * QuickJS's own memory limit counts almost nothing in this build, so the limit is the memory itself: its maximum is
 * fixed, and the engine's only way to grow it goes through `grow`, which a unit's smaller budget can refuse earlier.
 */
function createCappedMemory(): {
  memory: WebAssembly.Memory;
  full(): boolean;
  limit(megabytes: number): void;
} {
  const memory = new WebAssembly.Memory({
    initial: (MIN_GUEST_MIB * MIB) / PAGE,
    maximum: (MAX_GUEST_MIB * MIB) / PAGE,
  });
  const grow = memory.grow.bind(memory);
  let most = MAX_GUEST_MIB * MIB;
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * PAGE > most) throw new RangeError('over the budget of the unit');
    return grow(pages);
  };
  return {
    memory,
    full: () => memory.buffer.byteLength >= most * 0.8,
    limit: (megabytes) => {
      most = Math.min(Math.max(megabytes, MIN_GUEST_MIB), MAX_GUEST_MIB) * MIB;
    },
  };
}
