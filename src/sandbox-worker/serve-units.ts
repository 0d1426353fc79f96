import { assertNever } from '#shared/result';
import { ToWorker } from '#shared/sandbox-protocol';
import type { FromWorker } from '#shared/sandbox-protocol';
import type { ComputeClock } from './compute-meter';
import { createScriptVm } from './script-vm';
import type { ScriptVm } from './script-vm';
import type { Slice } from './unit-run';
import type { PreparedVm, PrepareVm } from './vm';

export interface UnitServerParts {
  readonly post: (message: FromWorker) => void;
  readonly clock: ComputeClock;
  readonly first: PreparedVm;
  /** Returns a VM in which nothing has run. */
  readonly prepare: PrepareVm;
  /** Ends this process: the message did not come from main. */
  readonly abort: () => void;
}

/**
 * Handles main's messages, one unit at a time, each on its own VM. Creates the next VM as soon as a unit
 * ends, so that the next unit does not wait for it. A message that main could not have sent ends the process.
 */
export function createUnitServer({
  post,
  clock,
  first,
  prepare,
  abort,
}: UnitServerParts): (message: unknown) => void {
  let vm = Promise.resolve(first);
  let running: { readonly run: number; readonly vm: ScriptVm } | undefined;

  const refresh = (run: number): void => {
    running = undefined;
    vm = prepare();
    void vm.then(() => post({ type: 'fresh', run }));
  };
  const answer = (run: number, { end, log, use }: Slice): void => {
    switch (end.type) {
      case 'turn':
        return post({ type: 'turn', run, use, log, calls: end.calls });
      case 'done':
        post({ type: 'done', run, use, log, json: end.json });
        return refresh(run);
      case 'failed':
        post({ type: 'failed', run, use, log, error: end.error, ...(end.call && { call: end.call }) });
        return refresh(run);
      default:
        assertNever(end);
    }
  };
  return (message) => {
    const parsed = ToWorker.safeParse(message);
    if (!parsed.success) return abort();
    const request = parsed.data;
    switch (request.type) {
      case 'run':
        void vm.then(async (prepared) => {
          const script = createScriptVm(prepared, clock);
          running = { run: request.run, vm: script };
          answer(request.run, await script.start(request));
        });
        return;
      case 'settle':
        if (running?.run === request.run)
          answer(request.run, running.vm.settle(request.call, request.ok, request.json));
        return;
      case 'ping':
        return post({ type: 'pong', beat: request.beat });
      default:
        assertNever(request);
    }
  };
}
