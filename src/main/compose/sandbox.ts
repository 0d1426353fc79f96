import { createNullSandbox, createUnknownSandbox, sandboxPathProblem } from '../adapters/sandbox/no-sandbox';
import { createQuickJsSandbox, type QuickJsSandbox } from '../adapters/sandbox/quickjs-sandbox';
import { pathVariable } from '../adapters/system/home-folder';
import { artifactsOf } from './storage';
import type { CoreDeps } from './core-deps';
import { idleMsFrom } from '../lifecycle/idle-ms';
import { loadTokenCount } from '../../core/session/token-count';

/**
 * `SANDBOX_ENGINE=quickjs|null`; everything behind the port is the same. Any other name refuses every unit.
 */
export function createSandboxOf({ host, clock, eventLog }: CoreDeps): (project: string) => QuickJsSandbox {
  const wanted = host.env['SANDBOX_ENGINE'] || 'quickjs';
  if (wanted === 'null') {
    const nothing = { ...createNullSandbox(), selfTest: () => Promise.resolve([]) };
    return () => nothing;
  }
  if (wanted !== 'quickjs') {
    const unknown = createUnknownSandbox(wanted);
    return () => unknown;
  }
  const missing = sandboxPathProblem(pathVariable(host.env, 'SANDBOX_PATH'));
  if (missing) return () => missing;
  return (project) =>
    createQuickJsSandbox({
      startProcess: () => {
        const worker = host.startWorker();
        eventLog.write('worker-started', { worker: worker.pid ?? null });
        worker.onExit(({ code, signal }) =>
          eventLog.write('worker-ended', { worker: worker.pid ?? null, code, signal }),
        );
        return worker;
      },
      clock,
      artifacts: artifactsOf({ host })(project),
      loadTokenCount,
      idleMs: idleMsFrom(host.env['PATINA_IDLE_MS']),
    });
}
