import { existsSync } from 'node:fs';
import { appError, type AppError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import type { QuickJsSandbox } from './quickjs-sandbox';
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

/** Used when `SANDBOX_ENGINE` names no known engine: refuses every unit and lists the valid names. */
export function createUnknownSandbox(name: string): QuickJsSandbox {
  const reason = `it is "${name}"`;
  const problem = { file: 'environment', field: 'SANDBOX_ENGINE', rule: 'quickjs or null', reason };
  const detail = `SANDBOX_ENGINE is "${name}"; it can be quickjs or null.`;
  return refusing(appError('CONFIG', 'INVALID', detail, { problems: [problem] }));
}

/**
 * Does the same when the file in `SANDBOX_PATH` does not exist; null if it exists or the variable is unset.
 */
export function sandboxPathProblem(file: string | undefined): QuickJsSandbox | null {
  if (file === undefined || existsSync(file)) return null;
  const message = `SANDBOX_PATH names ${file}, which does not exist.`;
  return refusing(appError('CONFIG', 'MISSING', message, { hint: 'Correct the variable, or unset it.' }));
}

function refusing(error: AppError): QuickJsSandbox {
  const detail = error.message;
  return {
    // Units are written for the engine that would run them; the setting is wrong, not the unit.
    name: 'quickjs',
    execute: async () => ({ envelope: err(error), log: [] }),
    health: async () => ({ engine: 'quickjs', ready: false, workers: 0, detail }),
    capabilities: () => [],
    warm: () => undefined,
    release: () => undefined,
    close: async () => undefined,
    selfTest: async () => [{ name: 'engine', ok: false, detail }],
  };
}
