import { Intrinsics, JSException, QuickJS } from 'quickjs-wasi';
import type { JSValueHandle, QuickJSOptions, Snapshot } from 'quickjs-wasi';
import wasmDataUrl from 'quickjs-wasi/quickjs.wasm?url&inline';
import { GUEST_PRELUDE } from './guest/prelude';
import { guestBytes, MIB, STACK_BYTES, wasmBytes } from './vm';
import type { HearGuest, PrepareVm, Vm, VmHost } from './vm';

/** No Date: the guest has no clock. Proxy is for the prelude alone, which takes it away. */
const INTRINSICS = [
  Intrinsics.EVAL,
  Intrinsics.REGEXP,
  Intrinsics.JSON,
  Intrinsics.PROXY,
  Intrinsics.MAP_SET,
  Intrinsics.TYPED_ARRAYS,
  Intrinsics.PROMISE,
  Intrinsics.BIG_INT,
].reduce((all, one) => all | one, 0);

interface Memory {
  readonly buffer: ArrayBuffer;
}

/** A machine's whole memory after the prelude, and where in it the bridge's two functions lie. */
interface Template {
  readonly snapshot: Snapshot;
  readonly start: number;
  readonly settle: number;
}

/**
 * The build of `quickjs-wasi`: compiles the engine and runs the prelude once; each machine is then a copy of that
 * memory in an instance of its own, made in about two milliseconds when its unit begins.
 */
export async function loadWasiVm(): Promise<PrepareVm> {
  const wasm = await WebAssembly.compile(wasmBytes(wasmDataUrl));
  const template = await takeTemplate(wasm);
  return () =>
    Promise.resolve({
      open: async (host) => {
        let memory: Memory = { buffer: new ArrayBuffer(0) };
        const keepMemory = (made: Memory): void => {
          memory = made;
        };
        const vm = await QuickJS.restore(template.snapshot, {
          ...baseOptions(wasm, keepMemory),
          memoryLimit: guestBytes(host.memMb),
          maxStackSize: STACK_BYTES,
          interruptHandler: () => host.interrupt(),
        });
        vm.registerHostCallback('emit', hostFunction(vm, host.hear));
        return openMachine({ vm, template, memory, host });
      },
    });
}

async function takeTemplate(wasm: QuickJSOptions['wasm']): Promise<Template> {
  const options = { ...baseOptions(wasm), intrinsics: INTRINSICS };
  const vm = await QuickJS.create(options);
  const emit = vm.newFunction('emit', () => vm.undefined);
  const bridge = vm.callFunction(vm.evalCode(GUEST_PRELUDE, 'prelude.js'), vm.undefined, emit);
  const start = vm.exportHandle(bridge.getProp('start'));
  const settle = vm.exportHandle(bridge.getProp('settle'));
  return { snapshot: vm.snapshot(), start, settle };
}

/** No clock, no randomness and no output reach the engine, whatever asks for them. */
function baseOptions(
  wasm: QuickJSOptions['wasm'],
  keepMemory: (memory: Memory) => void = () => undefined,
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

/** What fails on this side is told to the guest in one word: a stack of ours would name our files. */
function hostFunction(vm: QuickJS, hear: HearGuest) {
  return (what: JSValueHandle, text: JSValueHandle): JSValueHandle => {
    try {
      hear(what.toString(), text.toString());
      return vm.undefined;
    } catch {
      throw Object.assign(new Error('refused'), { stack: '' });
    }
  };
}

interface Machine {
  readonly vm: QuickJS;
  readonly template: Template;
  readonly memory: Memory;
  readonly host: VmHost;
}

function openMachine({ vm, template, memory, host }: Machine): Vm {
  const start = vm.importHandle(template.start);
  const settle = vm.importHandle(template.settle);
  const bytes = (): number => memory.buffer.byteLength;
  return {
    start(source, file, unit) {
      let script: JSValueHandle;
      try {
        script = vm.evalCode(source, file);
      } catch (thrown) {
        if (!(thrown instanceof JSException)) throw thrown;
        return { name: thrown.name, message: thrown.message, stack: thrown.stack ?? '' };
      }
      vm.callFunction(start, vm.undefined, script, vm.newString(unit)).dispose();
      return undefined;
    },
    settle(call, ok, json) {
      const settled = ok ? vm.true : vm.false;
      vm.callFunction(settle, vm.undefined, vm.newNumber(call), settled, vm.newString(json)).dispose();
    },
    runJobs(over) {
      // Each job of this build is a call, and calls are what its interrupts count: no batch needs to be bounded.
      if (!over()) vm.executePendingJobs();
    },
    memMb: () => bytes() / MIB,
    memoryFull: () => bytes() >= guestBytes(host.memMb) * 0.8,
  };
}
