import { appError } from '#shared/app-error';
import type { ExecutionUnit } from '#shared/execution';
import { err } from '#shared/result';
import type { SandboxEngine } from '../../ports/sandbox';
import type { WorkerStarter } from './start-worker';

/** One wall of the sandbox, and whether it stands on this machine. */
export interface SandboxLayer {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface SelfTestParts {
  readonly execute: SandboxEngine['execute'];
  readonly start: WorkerStarter;
}

const BUDGETS = { cpu_ms: 200, mem_mb: 32 };

/** Starts a worker of its own for the walls, runs a unit that works and one that never ends, and says how each went. */
export async function describeLayers({ execute, start }: SelfTestParts): Promise<readonly SandboxLayer[]> {
  const started = await start();
  if (!started.ok) return [{ name: 'worker', ok: false, detail: started.error.message }];
  const { link, probes, jail } = started.value;
  link.end(appError('HOST', 'CANCELLED', 'the self-test is over'));
  return [
    { name: 'worker', ok: true, detail: `${probes.length} ways out tried, all denied` },
    { name: 'kernel limits', ok: jail.ok, detail: jail.detail },
    await ranUnit(execute),
    await stoppedUnit(execute),
  ];
}

function unitOf(code: string): ExecutionUnit {
  return { engine: 'quickjs', code, params: { n: 20 }, allowed_tools: [], budgets: BUDGETS };
}

const noTool = () => Promise.resolve(err(appError('TOOL', 'NOT_FOUND', 'the self-test has no tools')));
const never = new AbortController().signal;

async function ranUnit(execute: SandboxEngine['execute']): Promise<SandboxLayer> {
  const { envelope } = await execute(unitOf('return { summary: String(params.n + 22) };'), noTool, never);
  const right = envelope.ok && envelope.value.summary === '42';
  const detail = envelope.ok ? `gave ${envelope.value.summary}` : envelope.error.message;
  return { name: 'run', ok: right, detail };
}

async function stoppedUnit(execute: SandboxEngine['execute']): Promise<SandboxLayer> {
  const { envelope } = await execute(unitOf('while (true) {}'), noTool, never);
  const stopped = !envelope.ok && envelope.error.code === 'CPU_LIMIT';
  const detail = stopped ? 'an endless script is stopped' : 'an endless script was not stopped';
  return { name: 'watchdog', ok: stopped, detail };
}
