import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createModelClient } from '../../src/main/adapters/llm/model-client';
import { createOfflineProvider } from '../../src/main/adapters/llm/offline-provider';
import { createChildSandboxProcess } from '../../src/main/adapters/sandbox/child-sandbox-process';
import { createQuickJsSandbox } from '../../src/main/adapters/sandbox/quickjs-sandbox';
import { createFileSecrets } from '../../src/main/adapters/secrets/file-secrets';
import { createSystemClock } from '../../src/main/adapters/system/system-clock';
import type { SandboxEngine } from '../../src/core/ports/sandbox';
import type { ToolDefinition } from '../../src/core/ports/tool-definition';
import { createMemoryArtifacts } from '../../src/testing/in-process-sandbox';
import { execute, isStaged, reachOf, runAgent, type AgentPlace, type BenchTask } from './agent-runs';
import { catalogueOf } from './agent-catalogues';
import { compareRows, type Row } from './agent-rows';
import { planReply } from './agent-sides';
import { startBenchServers, type BenchServers } from './agent-servers';
import { agentTasks } from './agent-tasks';
import type { TurnTokens } from './agent-tokens';
import { baselines, converse, titles } from './baselines';
import { recordTurns } from './recorded-turns';
import { retailFolder, retailTasks, startRetail, type RetailTask } from './retail-tasks';
import { stagedTasks } from './staged-tasks';

/** What a live run needs from the environment; a text names what is missing. */
export function liveSettings(
  baseUrl: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
):
  { readonly baseUrl: string; readonly model: string; readonly key: string; readonly most: number } | string {
  if (baseUrl === undefined || !URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    return 'Give the address of an OpenAI-compatible API: npm run bench:agent -- --live https://api.example.com/v1';
  const { PATINA_MODEL: model = '', OPENAI_API_KEY: key = '', PATINA_BENCH_TASKS: tasks = '100' } = env;
  if (model === '') return 'Set PATINA_MODEL to the name of the model, as the API lists it.';
  if (key === '')
    return 'Set OPENAI_API_KEY to the key of the API; a server that needs none accepts any text.';
  const most = Number(tasks);
  if (!Number.isInteger(most) || most < 1)
    return 'PATINA_BENCH_TASKS is the number of tasks of each group, 1 or more.';
  return { baseUrl, model, key, most };
}

/** A task with servers in their usual initial state, and their state when it is done. */
interface LiveTask {
  readonly goal: string;
  readonly start: () => Promise<BenchServers>;
  readonly catalogue: (real: readonly ToolDefinition[]) => readonly ToolDefinition[];
  /** Does the task without a model, as its author or its reference does. */
  readonly solve: (world: BenchServers, tools: readonly ToolDefinition[]) => Promise<unknown>;
}

function ownTask(task: BenchTask): LiveTask {
  return {
    goal: task.goal,
    start: startBenchServers,
    catalogue: (real) => catalogueOf(real, 16),
    solve: async (world, tools) => {
      if (!isStaged(task)) return execute(world, tools, planReply(task).code);
      const seen = await execute(world, tools, task.look);
      return execute(world, tools, task.decide(seen as never).code);
    },
  };
}

function retailTask(task: RetailTask, folder: string): LiveTask {
  return {
    goal: task.goal,
    start: () => startRetail(folder),
    catalogue: (real) => real,
    solve: async (world) => {
      for (const { uri, args } of task.reference)
        await world.tools.call(uri, args, new AbortController().signal);
    },
  };
}

type Side = 'agent' | (typeof baselines)[number];
const sides: readonly Side[] = ['agent', ...baselines];

/** Against a real model the only goal is not to lose. */
const noLoss = { tokens: 1, price: 1 };

interface SideResult {
  readonly turns: readonly TurnTokens[];
  /** The servers have the same state as after the author's own solution. */
  readonly right: boolean;
  readonly problem?: string;
}

interface LivePlace extends AgentPlace {
  readonly take: () => readonly TurnTokens[];
  readonly sandbox: SandboxEngine;
}

async function runSide(place: LivePlace, side: Side, task: LiveTask, expected: string): Promise<SideResult> {
  const world = await task.start();
  const tools = task.catalogue(world.definitions);
  try {
    if (side === 'agent') await runAgent(place, task.goal, world, tools);
    else await converse(place, side, task.goal, reachOf(world, tools, place.sandbox));
    return { turns: place.take(), right: (await world.state()) === expected };
  } catch (cause) {
    return { turns: place.take(), right: false, problem: String(cause) };
  } finally {
    await world.tools.release();
  }
}

async function stateWhenSolved(task: LiveTask): Promise<string> {
  const world = await task.start();
  await task.solve(world, task.catalogue(world.definitions));
  const state = await world.state();
  await world.tools.release();
  return state;
}

async function runGroup(name: string, place: LivePlace, tasks: readonly LiveTask[]): Promise<void> {
  const results: { readonly goal: string; readonly by: ReadonlyMap<Side, SideResult> }[] = [];
  for (const task of tasks) {
    const expected = await stateWhenSolved(task);
    const by = new Map<Side, SideResult>();
    for (const side of sides) by.set(side, await runSide(place, side, task, expected));
    const marks = sides.map((side) => `${side} ${by.get(side)?.right ? 'right' : 'wrong'}`);
    process.stdout.write(`  ${task.goal.slice(0, 70)}: ${marks.join(', ')}\n`);
    for (const [side, { problem }] of by)
      if (problem !== undefined) process.stdout.write(`    ${side}: ${problem}\n`);
    results.push({ goal: task.goal, by });
  }
  for (const side of sides) {
    const right = results.filter(({ by }) => by.get(side)?.right).length;
    process.stdout.write(`${name}, ${side}: ${right} of ${results.length} right\n`);
  }
  for (const baseline of baselines) {
    const rows = results.flatMap(({ goal, by }): readonly Row[] => {
      const [agent, own] = [by.get('agent'), by.get(baseline)];
      return agent?.right && own?.right ? [{ goal, agent: agent.turns, baseline: own.turns }] : [];
    });
    if (rows.length > 0)
      compareRows(`${name}, ${titles[baseline]}, ${rows.length} right on both sides`, rows, noLoss);
  }
}

/** Asks the model for one word, so that a wrong address, key or name ends the bench with the reason. */
async function firstProblem({ models, model }: AgentPlace): Promise<string | null> {
  const request = { model, messages: [{ role: 'user' as const, content: 'Answer with the word yes.' }] };
  for await (const event of models.stream(request, new AbortController().signal))
    if (event.type === 'error') return [event.error.message, event.error.hint].filter(Boolean).join(' ');
  return null;
}

/**
 * Does the tasks with a real model, as Agent Mode and as each baseline, every time on fresh servers, and reports how
 * many were right beside the tokens. Returns the exit code.
 */
export async function runLive(address: string | undefined): Promise<number> {
  const settings = liveSettings(address, process.env);
  const bundle = path.resolve('out/main/sandbox-worker.js');
  const missing = existsSync(bundle) ? null : 'The app is not built: run npm run build first.';
  const problem = typeof settings === 'string' ? settings : missing;
  if (problem !== null || typeof settings === 'string') {
    process.stderr.write(`bench: ${problem}\n`);
    return 2;
  }
  const home = mkdtempSync(path.join(tmpdir(), 'patina-bench-live-'));
  try {
    return await measureLive(settings, bundle, home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function measureLive(
  { baseUrl, model, key, most }: Exclude<ReturnType<typeof liveSettings>, string>,
  bundle: string,
  home: string,
): Promise<number> {
  const offline = createOfflineProvider({
    matchRecipes: () => [],
    facts: () => ({ recipes: [], agentMode: { enabled: true } }),
  });
  const clock = createSystemClock();
  const env = { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: key, PATINA_MODEL: model };
  const secrets = createFileSecrets({ home });
  const client = createModelClient({ home, env, secrets, clock, offline, localServers: [] });
  const recorded = recordTurns(client, true);
  const sandbox = createQuickJsSandbox({
    startProcess: createChildSandboxProcess(bundle),
    clock,
    artifacts: createMemoryArtifacts(),
    loadTokenCount: () => Promise.resolve((text) => text.length),
  });
  const ref = { providerId: 'environment', model };
  const place = { models: recorded.models, model: ref, take: recorded.take, sandbox };
  const problem = await firstProblem(place);
  recorded.take();
  if (problem !== null) {
    process.stderr.write(`bench: The model at ${baseUrl} does not answer: ${problem}\n`);
    return 1;
  }
  await runGroup('live one-shot', place, agentTasks.slice(0, most).map(ownTask));
  await runGroup('live staged', place, stagedTasks.slice(0, most).map(ownTask));
  const folder = retailFolder();
  if (folder !== null) {
    const tasks = retailTasks(folder).slice(0, most);
    await runGroup(
      'live retail',
      place,
      tasks.map((task) => retailTask(task, folder)),
    );
  }
  return 0;
}
