import { Intrinsics, QuickJS } from 'quickjs-wasi';
import { GUEST_PRELUDE } from './guest/prelude';
import { engineOptions } from './wasi-engine';
import type { Template, WasiEngine } from './wasi-engine';

/** No Date: the guest has no clock. Proxy is only for the prelude, which removes it. */
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

/** Creates the template at run time: compiles the prelude, runs it, and takes a snapshot of the memory. */
export async function takeTemplate(wasm: WasiEngine): Promise<Template> {
  const options = { ...engineOptions(wasm), intrinsics: INTRINSICS };
  const vm = await QuickJS.create(options);
  const emit = vm.newFunction('emit', () => vm.undefined);
  const bridge = vm.callFunction(vm.evalCode(GUEST_PRELUDE, 'prelude.js'), vm.undefined, emit);
  const start = vm.exportHandle(bridge.getProp('start'));
  const completeCall = vm.exportHandle(bridge.getProp('completeCall'));
  return { snapshot: vm.snapshot(), start, completeCall };
}
