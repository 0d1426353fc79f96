import { JSException, QuickJS } from 'quickjs-wasi';
import type { JSValueHandle } from 'quickjs-wasi';
import { guestBytes, MAX_GUEST_MIB, MIB, MIN_GUEST_MIB, STACK_BYTES } from './vm';
import type { OutputListener, PrepareVm, Vm, VmHost } from './vm';
import { compileEngine, engineOptions } from './wasi-engine';
import type { EngineMemory, TakeTemplate, Template, WasiEngine } from './wasi-engine';

/** A copy of the template in its own instance, created before its unit is known. */
interface Copy {
  readonly vm: QuickJS;
  readonly memory: () => EngineMemory;
  readonly limit: number;
  /** The host of its unit; no part of a script runs before this is set. */
  host: VmHost;
}

/** The host of a copy without a unit: it stops any code and ignores all messages. */
const NOBODY: VmHost = { memMb: MIN_GUEST_MIB, interrupt: () => true, onOutput: () => undefined };

/**
 * The build of `quickjs-wasi`: the prelude has run once, in the template from `take`; each VM is a copy of
 * that memory in its own instance. The copy is made between two units, with the memory limit of the last one;
 * a unit with a different limit waits the two milliseconds that a copy takes.
 */
export async function loadWasiVm(take: TakeTemplate): Promise<PrepareVm> {
  const wasm = await compileEngine();
  const template = await take(wasm);
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

async function copyTemplate(wasm: WasiEngine, template: Template, limit: number): Promise<Copy> {
  let memory: EngineMemory = { buffer: new ArrayBuffer(0) };
  const onMemory = (made: EngineMemory): void => {
    memory = made;
  };
  const vm = await QuickJS.restore(template.snapshot, {
    ...engineOptions(wasm, onMemory),
    memoryLimit: limit,
    maxStackSize: STACK_BYTES,
    interruptHandler: () => copy.host.interrupt(),
  });
  const copy: Copy = { vm, memory: () => memory, limit, host: NOBODY };
  vm.registerHostCallback(
    'emit',
    hostFunction(vm, (what, text) => copy.host.onOutput(what, text)),
  );
  return copy;
}

/** Reports a host failure to the guest in one word: a host stack would reveal file names. */
function hostFunction(vm: QuickJS, onOutput: OutputListener) {
  return (what: JSValueHandle, text: JSValueHandle): JSValueHandle => {
    try {
      onOutput(what.toString(), text.toString());
      return vm.undefined;
    } catch {
      throw Object.assign(new Error('refused'), { stack: '' });
    }
  };
}

function openMachine({ vm, memory, limit }: Copy, template: Template): Vm {
  const start = vm.importHandle(template.start);
  const completeCall = vm.importHandle(template.completeCall);
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
    completeCall(call, ok, json) {
      const success = ok ? vm.true : vm.false;
      vm.callFunction(completeCall, vm.undefined, vm.newNumber(call), success, vm.newString(json)).dispose();
    },
    runJobs(over) {
      // In this build each job is a call, and its interrupts count calls, so the batch needs no bound.
      if (!over()) vm.executePendingJobs();
    },
    memMb: () => bytes() / MIB,
    memoryFull: () => bytes() >= limit * 0.8,
  };
}
