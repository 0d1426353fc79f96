import { readFileSync, readlinkSync } from 'node:fs';
import { appError } from '#shared/app-error';
import type { ExecutionUnit } from '#shared/execution';
import { err } from '#shared/result';
import type { SandboxEngine } from '../../../core/ports/sandbox';
import { MAX_WORKER_MB } from './memory-poll';
import { MESSAGES_PER_SECOND } from './message-rate';
import { readProcessFacts } from './process-facts';
import type { KernelSupport } from './kernel-support';
import type { StartedWorker, WorkerStarter } from './start-worker';
import { missingOn, WORKER_ENV } from './worker-process';
import type { LayerStatus } from './worker-process';

/** One layer of the sandbox, and whether it is active on this machine. */
export interface SandboxLayer extends LayerStatus {
  readonly name: string;
}

export interface SelfTestParts {
  readonly execute: SandboxEngine['execute'];
  readonly start: WorkerStarter;
  readonly support: () => KernelSupport;
}

const BUDGETS = { cpu_ms: 200, mem_mb: 32 };
/** Room for an attack on another limit: on a slow machine it must not end by its compute instead. */
const ROOMY = { ...BUDGETS, cpu_ms: 5_000 };

/** Starts a separate worker, inspects and attacks it; returns every layer and whether it resisted. */
export async function describeLayers({
  execute,
  start,
  support,
}: SelfTestParts): Promise<readonly SandboxLayer[]> {
  const started = await start();
  if (!started.ok) return [{ name: 'worker', ok: false, detail: started.error.message }];
  const allLayers = [...wallsOf(started.value), { name: 'main process', ...support().main }];
  started.value.link.end(appError('HOST', 'CANCELLED', 'the self-test is over'));
  const engine = await ranUnit(execute, started.value.engine);
  return [engine, ...(await limits(execute)), ...allLayers];
}

/** The layers visible on an idle worker. */
function wallsOf({ link, probes, filter, jail, namespaces }: StartedWorker): readonly SandboxLayer[] {
  const { pid } = link;
  const tried = probes.filter(({ denied }) => denied).length;
  return [
    { name: 'process', ...describeProcess(pid) },
    { name: 'environment', ...describePlace(pid) },
    { name: 'lockdown', ok: true, detail: `${tried} of ${probes.length} tested escape routes are denied` },
    { name: 'system calls', ...filter },
    { name: 'kernel limits', ...jail },
    { name: 'namespaces', ...namespaces },
    { name: 'memory poll', ...describeMemory(pid) },
    {
      name: 'messages',
      ok: true,
      detail: `each checked against its schema, at most ${MESSAGES_PER_SECOND} a second`,
    },
  ];
}

function describeProcess(pid: number | undefined): LayerStatus {
  const own = pid !== undefined && pid !== process.pid;
  return {
    ok: own,
    detail: own ? 'a process of its own, replaced after every unusual error' : 'no process of its own',
  };
}

/** Names that Node adds for its port and V8; they reveal nothing. */
const PORT_NAMES = /^NODE_CHANNEL_/;

function describePlace(pid: number | undefined): LayerStatus {
  try {
    const text = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
    const names = text
      .map((entry) => entry.slice(0, entry.indexOf('=')))
      .filter((name) => !PORT_NAMES.test(name));
    const strange = names.filter((name) => !(name in WORKER_ENV));
    const folder = readlinkSync(`/proc/${pid}/cwd`);
    const ok = strange.length === 0 && folder !== process.cwd();
    const detail = ok
      ? `only ${names.join(' and ')}, in an empty folder`
      : `it received ${strange.join(', ')}`;
    return { ok, detail };
  } catch {
    return { ok: true, detail: 'stripped at the start; this system does not allow reading it back' };
  }
}

function describeMemory(pid: number | undefined): LayerStatus {
  const facts = pid === undefined ? undefined : readProcessFacts(pid);
  if (facts === undefined) return missingOn(process.platform);
  return { ok: true, detail: `${Math.round(facts.rssMb)} MB now, stopped above ${MAX_WORKER_MB} MB` };
}

const noTool = () => Promise.resolve(err(appError('TOOL', 'NOT_FOUND', 'the self-test has no tools')));
const never = new AbortController().signal;

async function endOf(execute: SandboxEngine['execute'], code: string, budgets = BUDGETS): Promise<string> {
  const unit: ExecutionUnit = {
    engine: 'quickjs',
    code,
    params: { n: 20 },
    allowed_tools: [],
    budgets,
  };
  const { envelope } = await execute(unit, noTool, never);
  return envelope.ok ? envelope.value.summary : `${envelope.error.kind}/${envelope.error.code}`;
}

async function ranUnit(execute: SandboxEngine['execute'], engine: string): Promise<SandboxLayer> {
  const gave = await endOf(execute, 'return { summary: String(params.n + 22) };');
  const detail = gave === '42' ? `${engine}; only JSON text goes in and out` : `a script gave ${gave}`;
  return { name: 'engine', ok: gave === '42', detail };
}

/**
 * Attacks that must each end at their own limit; the last ignores the engine's interrupts and must be ended
 * from outside.
 */
const ATTACKS = [
  {
    name: 'compute limit',
    code: 'while (true) {}',
    end: 'BUDGET/CPU_LIMIT',
    passText: 'an endless script is stopped',
  },
  {
    name: 'memory limit',
    code: 'const kept = []; for (;;) kept.push(new Uint8Array(1e6))',
    end: 'BUDGET/MEMORY_LIMIT',
    passText: 'a script that fills the memory is stopped',
  },
  {
    name: 'stack limit',
    code: 'const f = () => f() + 1; f()',
    end: 'BUDGET/STACK_LIMIT',
    passText: 'endless recursion is an error of the script',
  },
  {
    name: 'watchdog',
    code: 'Array.prototype.reverse.call({ length: 2 ** 53 - 1 })',
    end: 'BUDGET/CPU_LIMIT',
    passText: 'a script that the engine cannot stop is ended with its process',
  },
] as const;

async function limits(execute: SandboxEngine['execute']): Promise<readonly SandboxLayer[]> {
  const layers: SandboxLayer[] = [];
  for (const { name, code, end, passText } of ATTACKS) {
    const gave = await endOf(execute, code, end === 'BUDGET/CPU_LIMIT' ? BUDGETS : ROOMY);
    layers.push({ name, ok: gave === end, detail: gave === end ? passText : `the attack ended as ${gave}` });
  }
  return layers;
}
