import { appError } from '#shared/app-error';
import type { NodeBudgets } from '#shared/budgets';
import type { ExecutionUnit } from '#shared/execution';
import { err, ok } from '#shared/result';
import type { Result } from '#shared/result';
import { CALLS_AT_ONCE, ENVELOPE_TOKENS, MESSAGE_CHARS, SCRIPT_CHARS } from '#shared/sandbox-protocol';
import type { RunMessage } from '#shared/sandbox-protocol';
import { namedAliases } from '#shared/tool-name';
import type { Clock } from '../../../core/ports/clock';
import type { ArtifactStore, SandboxEngine, SandboxRun } from '../../../core/ports/sandbox';
import { buildEnvelope } from './envelope';
import type { HeartbeatTimes } from './heartbeat';
import { applyRlimits } from './kernel-jail';
import type { JailWorker } from './kernel-jail';
import { kernelSupport, readFilter } from './kernel-support';
import type { KernelSupport } from './kernel-support';
import { runUnit } from './run-unit';
import type { UnitOutcome } from './run-unit';
import { describeLayers } from './self-test';
import type { SandboxLayer } from './self-test';
import { createWorkerStarter } from './start-worker';
import type { StartedWorker, WorkerStarter } from './start-worker';
import type { WorkerLink } from './worker-link';
import { createWorkerPool } from './worker-pool';
import type { StartWorker } from './worker-process';

export interface QuickJsSandboxParts {
  readonly startProcess: StartWorker;
  readonly clock: Clock;
  readonly artifacts: ArtifactStore;
  /** Loads the token counter; called only for an envelope that may exceed its limit. */
  readonly loadTokenCount: () => Promise<(text: string) => number>;
  readonly jail?: JailWorker;
  /** Replaces this machine's kernel support, for workers that are not real processes. */
  readonly support?: () => KernelSupport;
  /** Maximum concurrent workers; further units wait. */
  readonly maxWorkers?: number;
  readonly idleMs?: number;
  readonly startMs?: number;
  readonly heartbeat?: HeartbeatTimes;
}

export interface QuickJsSandbox extends SandboxEngine {
  /** Starts a worker, runs two tiny units, and reports which layers are active on this machine. */
  selfTest(): Promise<readonly SandboxLayer[]>;
}

/** Default budgets of a unit. */
const UNIT_BUDGETS: NodeBudgets = {
  cpu_ms: 1_500,
  mem_mb: 64,
  max_ops: 1_000_000,
  tool_calls: 2_000,
  output_bytes: 64 * 1024,
  tokens: ENVELOPE_TOKENS,
};
const HEARTBEAT = { everyMs: 5_000, answerMs: 2_000 };

/**
 * The sandbox (agent-mode §7.3): QuickJS in a locked-down worker process that main monitors
 * with a watchdog. No process starts before the first unit or `warm`; idle workers end after `idleMs`.
 */
export function createQuickJsSandbox(parts: QuickJsSandboxParts): QuickJsSandbox {
  const { clock, artifacts, startProcess } = parts;
  const jail = parts.jail ?? applyRlimits;
  const support = parts.support ?? kernelSupport;
  const starter = createWorkerStarter({
    startProcess,
    clock,
    jail,
    support,
    readFilter,
    startMs: parts.startMs ?? 15_000,
  });
  let lastStart: Result<StartedWorker> | undefined;
  const start: WorkerStarter = async () => {
    lastStart = await starter();
    return lastStart;
  };
  const pool = createWorkerPool({
    start,
    clock,
    maxWorkers: parts.maxWorkers ?? 4,
    idleMs: parts.idleMs ?? 60_000,
  });
  let runs = 0;

  const execute: SandboxEngine['execute'] = async (unit, callTool, signal, onArtifactRead) => {
    const message = composeRun(unit, (runs += 1));
    if (!message.ok) return { envelope: message, log: [] };
    const acquired = await pool.acquire(signal);
    if (!acquired.ok) return { envelope: acquired, log: [] };
    const link = acquired.value;
    const began = clock.elapsed();
    const heartbeat = parts.heartbeat ?? HEARTBEAT;
    const host = { callTool, artifacts, ...(onArtifactRead && { onArtifactRead }) };
    const release = (): void => returnWhenReset(link, pool, clock);
    const unitParts = { link, message: message.value, host, clock, heartbeat, signal, release };
    const end = await runUnit(unitParts);
    return finish(unit, end, { wallMs: clock.elapsed() - began, ...parts });
  };
  return {
    name: 'quickjs',
    execute,
    async health() {
      const jailDetail = lastStart?.ok === true ? lastStart.value.jail.detail : lastStart?.error.message;
      const detail = jailDetail ?? 'no worker was started yet';
      return { engine: 'quickjs', ready: lastStart?.ok !== false, workers: pool.size(), detail };
    },
    capabilities: () => ['tools', 'artifacts', 'params', 'inputs', 'log'],
    warm: pool.warm,
    release: pool.release,
    close: async () => pool.close(),
    selfTest: () => describeLayers({ execute, start, support }),
  };
}

function composeRun(unit: ExecutionUnit, run: number): Result<RunMessage> {
  if (unit.engine !== 'quickjs') {
    return err(appError('SANDBOX', 'UNSUPPORTED', `The engine "${unit.engine}" is not this one (quickjs).`));
  }
  if (unit.code.length > SCRIPT_CHARS) {
    return err(appError('CODE', 'FORBIDDEN', `The script is longer than ${SCRIPT_CHARS} characters.`));
  }
  const [params, inputs] = [JSON.stringify(unit.params), JSON.stringify(unit.inputs ?? {})];
  if (params.length + inputs.length > MESSAGE_CHARS / 2) {
    return err(appError('BUDGET', 'OUTPUT_LIMIT', 'Params and inputs are larger than a script can receive.'));
  }
  const budgets = unitBudgets(unit);
  const limits = {
    cpuMs: budgets.cpu_ms,
    memMb: budgets.mem_mb,
    maxOps: budgets.max_ops,
    toolCalls: budgets.tool_calls,
    callsAtOnce: CALLS_AT_ONCE,
    resultChars: Math.min(budgets.output_bytes, MESSAGE_CHARS),
  };
  return ok({
    type: 'run',
    run,
    code: unit.code,
    params,
    inputs,
    tools: [...namedAliases(unit.allowed_tools, unit.tool_names)],
    limits,
  });
}

function unitBudgets(unit: ExecutionUnit): NodeBudgets {
  const limits = Object.entries(unit.budgets).filter(([, value]) => value !== undefined);
  return { ...UNIT_BUDGETS, ...(Object.fromEntries(limits) as Partial<NodeBudgets>) };
}

interface Finishing {
  readonly wallMs: number;
  readonly artifacts: ArtifactStore;
  readonly loadTokenCount: () => Promise<(text: string) => number>;
}

async function finish(unit: ExecutionUnit, end: UnitOutcome, finishing: Finishing): Promise<SandboxRun> {
  const { wallMs, artifacts, loadTokenCount } = finishing;
  const { result, log, use, host } = end;
  const metrics = {
    cpu_ms: Math.round(use.cpuMs * 10) / 10,
    mem_mb: Math.round(use.memMb * 10) / 10,
    tool_calls: host.toolCalls(),
    wall_ms: Math.round(wallMs * 10) / 10,
    ops: use.ticks,
  };
  if (!result.ok) return { envelope: result, log, metrics };
  const { output_bytes: bytes, tokens } = unitBudgets(unit);
  const parts = { json: result.value, written: host.written(), artifacts, metrics };
  return { envelope: await buildEnvelope(parts, { bytes, tokens, loadTokenCount }), log, metrics };
}

/** Milliseconds that a worker has to reset after a unit. */
const RESET_MS = 5_000;

function returnWhenReset(link: WorkerLink, pool: ReturnType<typeof createWorkerPool>, clock: Clock): void {
  const cancelTimer = clock.after(RESET_MS, () => {
    link.end(appError('SANDBOX', 'PROC_CRASH', 'The sandbox worker did not become ready again.'));
  });
  pool.resting(link);
  link.setListener({
    message(message) {
      if (message.type !== 'fresh') return;
      cancelTimer();
      pool.giveBack(link);
    },
    end() {
      cancelTimer();
      pool.lost(link);
    },
  });
}
