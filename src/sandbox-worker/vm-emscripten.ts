import loadEmscripten from '@jitl/quickjs-wasmfile-release-sync/emscripten-module';
import { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi';
import {
  type CustomizeVariantOptions,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import wasmDataUrl from '@jitl/quickjs-wasmfile-release-sync/wasm?url&inline';
import { GUEST_PRELUDE } from './guest/prelude';
import {
  type EngineError,
  guestBytes,
  type HearGuest,
  MAX_GUEST_MIB,
  MIB,
  MIN_GUEST_MIB,
  type PreparedVm,
  type PrepareVm,
  STACK_BYTES,
  type Vm,
  type VmHost,
  wasmBytes,
} from './vm';

/**
 * Jobs to run between two checks whether the unit has ended: a loop of promises never reaches the engine's
 * own interrupts.
 */
const JOBS_AT_ONCE = 32;

/** Suppresses all output of the engine, even when it crashes. */
const SILENT = { print: () => undefined, printErr: () => undefined } as NonNullable<
  CustomizeVariantOptions['emscriptenModule']
>;

/** No Date: the guest has no clock. Proxy is only for the prelude, which removes it. */
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

/** The build of `quickjs-emscripten`: compiles the engine once; each VM then loads the prelude again. */
export async function loadEmscriptenVm(): Promise<PrepareVm> {
  const wasmModule = await WebAssembly.compile(wasmBytes(wasmDataUrl));
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
    return prepareMachine(runtime, memory);
  };
}

function prepareMachine(runtime: QuickJSRuntime, memory: CappedMemory): PreparedVm {
  const context = runtime.newContext({ intrinsics: INTRINSICS });
  let hear: HearGuest = () => undefined;
  const emit = context.newFunction('emit', (what, text) => {
    hear(context.getString(what), context.getString(text));
  });
  const prelude = context.unwrapResult(context.evalCode(GUEST_PRELUDE, 'prelude.js'));
  const bridge = context.unwrapResult(context.callFunction(prelude, context.undefined, emit));
  const start = context.getProp(bridge, 'start');
  const settle = context.getProp(bridge, 'settle');
  return {
    open(host: VmHost) {
      hear = host.hear;
      memory.limit(host.memMb);
      runtime.setInterruptHandler(() => host.interrupt());
      return Promise.resolve(openMachine({ context, memory, start, settle }));
    },
  };
}

interface Machine {
  readonly context: QuickJSContext;
  readonly memory: CappedMemory;
  readonly start: QuickJSHandle;
  readonly settle: QuickJSHandle;
}

function openMachine({ context, memory, start, settle }: Machine): Vm {
  const { runtime } = context;
  return {
    start(source, file, unit) {
      const compiled = context.evalCode(source, file);
      if (compiled.error) return readError(context, compiled.error);
      invoke(context, start, [compiled.value, context.newString(unit)]);
      return undefined;
    },
    settle(call, ok, json) {
      const settled = ok ? context.true : context.false;
      invoke(context, settle, [context.newNumber(call), settled, context.newString(json)]);
    },
    runJobs(over) {
      while (runtime.hasPendingJob() && !over()) {
        if (runtime.executePendingJobs(JOBS_AT_ONCE).error) throw new Error('a job ended the engine');
      }
    },
    memMb: () => memory.memory.buffer.byteLength / MIB,
    memoryFull: memory.full,
  };
}

function readError(context: QuickJSContext, error: QuickJSHandle): EngineError {
  const read = (key: string): string =>
    context.getProp(error, key).consume((handle) => context.getString(handle));
  return { name: read('name'), message: read('message'), stack: read('stack') };
}

function invoke(context: QuickJSContext, callee: QuickJSHandle, given: readonly QuickJSHandle[]): void {
  context.unwrapResult(context.callFunction(callee, context.undefined, ...given)).dispose();
}
const PAGE = 64 * 1024;

interface CappedMemory {
  readonly memory: WebAssembly.Memory;
  full(): boolean;
  /** Lowers the limit for the current unit. */
  limit(megabytes: number): void;
}

/**
 * QuickJS's own memory limit counts almost nothing in the emscripten build, so the memory itself is the
 * limit: its maximum is fixed, and the engine can grow it only through `grow`, which refuses earlier for a
 * unit with a smaller budget.
 */
function createCappedMemory(): CappedMemory {
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
      most = guestBytes(megabytes);
    },
  };
}
