import { Intrinsics, JSException, QuickJS } from 'quickjs-wasi';
import type { JSValueHandle, QuickJSOptions, Snapshot } from 'quickjs-wasi';
import wasmDataUrl from 'quickjs-wasi/quickjs.wasm?url&inline';
import { GUEST_PRELUDE } from './guest/prelude';
import { guestBytes, MAX_GUEST_MIB, MIB, MIN_GUEST_MIB, STACK_BYTES, wasmBytes } from './vm';
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

/** A copy of the template in an instance of its own, made before anyone knows whose unit it will run. */
interface Copy {
  readonly vm: QuickJS;
  readonly memory: () => Memory;
  readonly limit: number;
  /** Whose unit it runs; nothing of a script has run before this is set. */
  host: VmHost;
}

/** A copy that no unit has: it stops whatever would run in it and hears nothing. */
const NOBODY: VmHost = { memMb: MIN_GUEST_MIB, interrupt: () => true, hear: () => undefined };

/**
 * The build of `quickjs-wasi`: compiles the engine and runs the prelude once; each machine is then a copy of that
 * memory in an instance of its own. The copy is made between two units, with the memory limit the last one asked for;
 * a unit that asks for another waits the two milliseconds that a copy takes.
 */
export async function loadWasiVm(): Promise<PrepareVm> {
  const wasm = await WebAssembly.compile(wasmBytes(wasmDataUrl));
  const template = await takeTemplate(wasm);
  let usual = guestBytes(MAX_GUEST_MIB);
  return async () => {
    const ahead = await copyTemplate(wasm, template, usual);
    return {
      open: async (host) => {
        usual = guestBytes(host.memMb);
        const copy = ahead.limit === usual ? ahead : await copyTemplate(wasm, template, usual);
        copy.host = host;
        return openMachine(copy, template);
      },
    };
  };
}

async function copyTemplate(wasm: QuickJSOptions['wasm'], template: Template, limit: number): Promise<Copy> {
  let memory: Memory = { buffer: new ArrayBuffer(0) };
  const keepMemory = (made: Memory): void => {
    memory = made;
  };
  const vm = await QuickJS.restore(template.snapshot, {
    ...baseOptions(wasm, keepMemory),
    memoryLimit: limit,
    maxStackSize: STACK_BYTES,
    interruptHandler: () => copy.host.interrupt(),
  });
  const copy: Copy = { vm, memory: () => memory, limit, host: NOBODY };
  vm.registerHostCallback(
    'emit',
    hostFunction(vm, (what, text) => copy.host.hear(what, text)),
  );
  return copy;
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

function openMachine({ vm, memory, limit }: Copy, template: Template): Vm {
  const start = vm.importHandle(template.start);
  const settle = vm.importHandle(template.settle);
  const bytes = (): number => memory().buffer.byteLength;
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
    memoryFull: () => bytes() >= limit * 0.8,
  };
}
