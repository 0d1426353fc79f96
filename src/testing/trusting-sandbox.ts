import { appError, AppError } from '#shared/app-error';
import type { ExecutionUnit } from '#shared/execution';
import type { Json, JsonObject } from '#shared/json';
import { err, ok } from '#shared/result';
import { namedAliases } from '#shared/tool-name';
import type { CallTool, SandboxEngine, SandboxRun } from '../core/ports/sandbox';

type Script = (...given: readonly unknown[]) => Promise<unknown>;
const asyncFunctions = Object.getPrototypeOf(async () => undefined) as {
  readonly constructor: new (...parts: string[]) => Script;
};
const AsyncFunction = asyncFunctions.constructor;

const cancelled = (): SandboxRun => ({ envelope: err(appError('HOST', 'CANCELLED', 'Cancelled.')), log: [] });

function scriptTools(unit: ExecutionUnit, callTool: CallTool, signal: AbortSignal) {
  const tools: Record<string, Record<string, (args: Json) => Promise<Json>>> = {};
  for (const { server, tool, uri } of namedAliases(unit.allowed_tools, unit.tool_names)) {
    tools[server] ??= {};
    tools[server][tool] = async (args) => {
      const result = await callTool(uri, args, signal);
      if (result.ok) return result.value;
      throw Object.assign(new Error(result.error.message), { appError: result.error });
    };
  }
  return tools;
}

function failure(cause: unknown): SandboxRun {
  const own = AppError.safeParse((cause as { appError?: unknown }).appError);
  if (own.success) return { envelope: err(own.data), log: [] };
  return { envelope: err(appError('CODE', 'RUNTIME_ERROR', String(cause))), log: [], metrics };
}

const metrics = { cpu_ms: 1, mem_mb: 1, tool_calls: 0, wall_ms: 1 };

/**
 * Runs a test's scripts in this process without isolation: for tests of the code around a sandbox, never of a
 * sandbox.
 */
export function createTrustingSandbox() {
  const units: ExecutionUnit[] = [];
  const run = async (unit: ExecutionUnit, callTool: CallTool, signal: AbortSignal): Promise<SandboxRun> => {
    const log: string[] = [];
    const names = ['tools', 'params', 'inputs', 'log'];
    const script = new AsyncFunction(...names, `"use strict";${unit.code}`);
    const logLine = (...values: unknown[]) => void log.push(values.join(' '));
    const tools = scriptTools(unit, callTool, signal);
    const returned = (await script(tools, unit.params, unit.inputs, logLine)) as {
      summary: string;
      state?: JsonObject;
    };
    const state_updates = JSON.parse(JSON.stringify(returned.state ?? {})) as JsonObject;
    return {
      envelope: ok({ summary: returned.summary, artifacts: [], state_updates, metrics }),
      log,
    };
  };
  const engine: SandboxEngine = {
    name: 'quickjs',
    execute: (unit, callTool, signal) => {
      units.push(unit);
      const aborted = new Promise<SandboxRun>((resolve) => {
        if (signal.aborted) resolve(cancelled());
        signal.addEventListener('abort', () => resolve(cancelled()), { once: true });
      });
      return Promise.race([aborted, run(unit, callTool, signal).catch(failure)]);
    },
    health: () => Promise.resolve({ engine: 'quickjs', ready: true, workers: 0, detail: 'in this process' }),
    capabilities: () => [],
    warm: () => undefined,
    release: () => undefined,
    close: () => Promise.resolve(),
  };
  return { engine, units };
}
