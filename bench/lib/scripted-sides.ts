import type { ToolDefinition } from '../../src/core/ports/tool-definition';
import type { Json } from '../../src/shared/json';
import { startScriptedHarness } from '../../src/testing/scripted-model-client';
import { execute, isStaged, reachOf, runAgent, scriptAgent, type BenchTask } from './agent-runs';
import { model } from './agent-sides';
import type { BenchServers, RecordedCall } from './agent-servers';
import { converse, repliesFor, type Baseline, type Reach, type Work } from './baselines';
import type { TurnTokens } from './agent-tokens';
import { recordTurns } from './recorded-turns';
import { wavesOf, type RetailTask, type startRetail } from './retail-tasks';

type Turns = readonly TurnTokens[];

/** A task as Agent Mode and each baseline did it, over HTTP. */
export interface Measured {
  readonly goal: string;
  readonly agent: Turns;
  readonly sides: Readonly<Record<Baseline, Turns>>;
}

async function startPlace() {
  const harness = await startScriptedHarness({ replies: [] });
  const recorded = recordTurns(harness.client, false);
  const sent = () => harness.model.chats().length;
  /** The turns of a run, each of which was a request to the server. */
  const turnsOf = async (run: () => Promise<unknown>): Promise<Turns> => {
    const before = sent();
    await run();
    const turns = recorded.take();
    if (turns.length === 0 || turns.length !== sent() - before)
      throw new Error(`${turns.length} turns, but ${sent() - before} requests.`);
    return turns;
  };
  return { ...harness, place: { models: recorded.models, model }, turnsOf };
}
type Place = Awaited<ReturnType<typeof startPlace>>;

/** The results of completed calls, returned in their order: the same bytes, without a second effect. */
function replay(tools: readonly ToolDefinition[], waves: Work['waves'], returned: readonly Json[]): Reach {
  const made = waves.flat();
  const used = new Set<RecordedCall>();
  let script = 0;
  return {
    tools,
    call: (uri, args) => {
      const found = made.find(
        (one) => !used.has(one) && one.uri === uri && JSON.stringify(one.args) === JSON.stringify(args),
      );
      if (!found) throw new Error(`Not made: ${uri} ${JSON.stringify(args)}`);
      used.add(found);
      const { result } = found;
      return Promise.resolve(typeof result === 'string' ? result : JSON.stringify(result));
    },
    execute: () => Promise.resolve(JSON.stringify(returned[script++])),
  };
}

async function measureSide(
  { place, model: scripted, turnsOf }: Place,
  baseline: Baseline,
  goal: string,
  { work, reach }: { readonly work: Work; readonly reach: Reach },
): Promise<Turns> {
  scripted.add(...repliesFor(baseline, work));
  return turnsOf(() => converse(place, baseline, goal, reach));
}

interface Worlds {
  readonly agent: BenchServers;
  readonly direct: BenchServers;
  readonly code: BenchServers;
}

async function runTask(at: Place, task: BenchTask, worlds: Worlds, tools: readonly ToolDefinition[]) {
  const seen = isStaged(task) ? await execute(worlds.code, tools, task.look) : null;
  const { end, scripts } = scriptAgent(at.model, task, seen);
  let answer = '';
  worlds.agent.takeWaves();
  const agent = await at.turnsOf(async () => {
    const ran = await runAgent(at.place, task.goal, worlds.agent, tools);
    if (ran.outcome !== 'done') throw new Error(`${task.goal}: ${JSON.stringify([ran.error, ran.nodes])}`);
    answer = ran.answer.slice(0, ran.writesFrom).trimEnd();
  });
  end();
  return { agent, scripts, answer, waves: worlds.agent.takeWaves() };
}

async function measureTask(
  at: Place,
  task: BenchTask,
  worlds: Worlds,
  tools: readonly ToolDefinition[],
): Promise<Measured> {
  const { goal } = task;
  const { agent, ...work } = await runTask(at, task, worlds, tools);
  const direct = reachOf(worlds.direct, tools);
  const replayed = () => replay(tools, work.waves, []);
  const sides = {
    turns: await measureSide(at, 'turns', goal, { work, reach: replayed() }),
    parallel: await measureSide(at, 'parallel', goal, { work, reach: direct }),
    search: await measureSide(at, 'search', goal, { work, reach: replayed() }),
    code: await measureSide(at, 'code', goal, { work, reach: reachOf(worlds.code, tools) }),
  };
  const states = await Promise.all([worlds.agent, worlds.direct, worlds.code].map((one) => one.state()));
  if (new Set(states).size !== 1) throw new Error(`The final states differ: ${goal}`);
  return { goal, agent, sides };
}

/** Measures tasks on servers of their own for each side; the final states must be equal. */
export async function measureTasks(
  tasks: readonly BenchTask[],
  {
    start,
    catalogue,
  }: {
    readonly start: () => Promise<BenchServers>;
    readonly catalogue: (real: readonly ToolDefinition[]) => readonly ToolDefinition[];
  },
): Promise<readonly Measured[]> {
  const at = await startPlace();
  const [agent, direct, code] = await Promise.all([start(), start(), start()]);
  const tools = catalogue(agent.definitions);
  const measured: Measured[] = [];
  for (const task of tasks) measured.push(await measureTask(at, task, { agent, direct, code }, tools));
  await Promise.all([...[agent, direct, code].map((world) => world.tools.release()), at.close()]);
  return measured;
}

/** The calls of the reference, as they come back from the server. */
async function makeReference(
  { tools }: BenchServers,
  reference: RetailTask['reference'],
): Promise<readonly RecordedCall[]> {
  const calls: RecordedCall[] = [];
  for (const { uri, args } of reference) {
    const result = await tools.call(uri, args, new AbortController().signal);
    calls.push({ uri, args, result: result.ok ? result.value : result.error.message });
  }
  return calls;
}

const isWrite = ({ uri }: RecordedCall): boolean => /\.(?:cancel|exchange|modify|return)_/.test(uri);

/** Whether what the reference reads shows everything that it writes, and no write of it fails. */
function isUsable({ needs = [] }: RetailTask, calls: readonly RecordedCall[]): boolean {
  const shown = JSON.stringify(calls.filter((call) => !isWrite(call)));
  const failed = calls.some(
    (call) => isWrite(call) && typeof call.result === 'string' && call.result.startsWith('Error'),
  );
  return !failed && needs.every((value) => shown.includes(value));
}

/**
 * Measures public tasks: the baselines make the calls of the task's reference, and Agent Mode must leave the same
 * database. A task whose reference does not show what its writes need, or has a write that fails, is left out.
 */
export async function measureRetail(
  tasks: readonly RetailTask[],
  start: () => ReturnType<typeof startRetail>,
): Promise<readonly Measured[]> {
  const at = await startPlace();
  const [agent, code] = await Promise.all([start(), start()]);
  const tools = agent.definitions;
  const measured: Measured[] = [];
  for (const task of tasks) {
    await Promise.all([agent.reset(), code.reset()]);
    const calls = await makeReference(code, task.reference);
    const expected = await code.state();
    if (!isUsable(task, calls)) continue;
    await code.reset();
    const seen = await execute(code, tools, task.look);
    await code.reset();
    const { agent: own, scripts, answer } = await runTask(at, task, { agent, direct: agent, code }, tools);
    if ((await agent.state()) !== expected) throw new Error(`Another database: ${task.id} ${task.goal}`);
    const work = { waves: wavesOf(task, calls), scripts, answer };
    const side = (baseline: Baseline) =>
      measureSide(at, baseline, task.goal, { work, reach: replay(tools, work.waves, [seen, {}]) });
    measured.push({
      goal: `${task.id}: ${task.goal}`,
      agent: own,
      sides: {
        turns: await side('turns'),
        parallel: await side('parallel'),
        search: await side('search'),
        code: await side('code'),
      },
    });
  }
  process.stdout.write(
    `${measured.length} of ${tasks.length} public tasks, all with the reference's database\n`,
  );
  await Promise.all([agent.tools.release(), code.tools.release(), at.close()]);
  return measured;
}
