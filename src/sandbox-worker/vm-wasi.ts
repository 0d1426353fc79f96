import { JSException, QuickJS } from 'quickjs-wasi';
import type { JSValueHandle } from 'quickjs-wasi';
import { guestBytes, MAX_GUEST_MIB, MIB, MIN_GUEST_MIB, STACK_BYTES } from './vm';
import type { HearGuest, PrepareVm, Vm, VmHost } from './vm';
import { compileEngine, engineOptions } from './wasi-engine';
import type { EngineMemory, TakeTemplate, Template, WasiEngine } from './wasi-engine';

/** A copy of the template in an instance of its own, made before anyone knows whose unit it will run. */
interface Copy {
  readonly vm: QuickJS;
  readonly memory: () => EngineMemory;
  readonly limit: number;
  /** Whose unit it runs; nothing of a script has run before this is set. */
  host: VmHost;
}

/** A copy that no unit has: it stops whatever would run in it and hears nothing. */
const NOBODY: VmHost = { memMb: MIN_GUEST_MIB, interrupt: () => true, hear: () => undefined };

/**
 * The build of `quickjs-wasi`: the prelude has run once, in the template that `take` gives; each machine is a copy of
 * that memory in an instance of its own. The copy is made between two units, with the memory limit the last one asked for;
 * a unit that asks for another waits the two milliseconds that a copy takes.
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
  const keepMemory = (made: EngineMemory): void => {
    memory = made;
  };
  const vm = await QuickJS.restore(template.snapshot, {
    ...engineOptions(wasm, keepMemory),
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
