import { ok } from '#shared/result';
import type { SandboxEngine } from '../../../core/ports/sandbox';

/** Accepts every unit for any engine, runs nothing, and says so (agent-mode §17). */
export function createNullSandbox(): SandboxEngine {
  return {
    name: 'null',
    async execute() {
      const metrics = { cpu_ms: 0, mem_mb: 0, tool_calls: 0, wall_ms: 0 };
      const summary = 'Nothing was run: the sandbox engine is "null".';
      return { envelope: ok({ summary, artifacts: [], state_updates: {}, metrics }), log: [] };
    },
    async health() {
      return { engine: 'null', ready: true, workers: 0, detail: 'runs nothing' };
    },
    capabilities: () => [],
    warm: () => undefined,
    release: () => undefined,
    close: async () => undefined,
  };
}
