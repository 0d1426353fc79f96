import loadEmscripten from '@jitl/quickjs-wasmfile-release-sync/emscripten-module';
import { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi';
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core';
import type {
  CustomizeVariantOptions,
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import wasmDataUrl from '@jitl/quickjs-wasmfile-release-sync/wasm?url&inline';
import { createCappedMemory } from './capped-memory';
import type { CappedMemory } from './capped-memory';
import { GUEST_PRELUDE } from './guest/prelude';
import { MIB, STACK_BYTES, wasmBytes } from './vm';
import type { EngineError, HearGuest, PrepareVm, PreparedVm, Vm, VmHost } from './vm';

/** Jobs run between two looks at whether the unit is over: a loop of promises never reaches the engine's own interrupts. */
const JOBS_AT_ONCE = 32;

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

/** The build of `quickjs-emscripten`: compiles the engine once; each machine then loads the prelude anew. */
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
