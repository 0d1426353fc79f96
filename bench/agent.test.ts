import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startScriptedHarness } from '../src/testing/scripted-model-client';
import { createAgentHarness } from '../src/testing/agent-harness';
import { catalogueOf } from './lib/agent-catalogues';
import { startBenchServers, type BenchServers } from './lib/agent-servers';
import { runWithReplan } from './lib/agent-replan';
import { directTools, directTurns, planTask, type PlannedTask } from './lib/agent-sides';
import { agentTasks } from './lib/agent-tasks';
import { modelMs, plain, toolMs, toolTokens } from './lib/agent-tokens';

describe('the agent bench, short run', () => {
  let agent: BenchServers;
  let direct: BenchServers;
  let harness: Awaited<ReturnType<typeof startScriptedHarness>>;
  beforeAll(async () => {
    harness = await startScriptedHarness({ replies: [] });
    [agent, direct] = await Promise.all([startBenchServers(), startBenchServers()]);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([agent.tools.release(), direct.tools.release(), harness.close()]);
  });

  it(
    '[ACC-3] leaves the same state as direct calls, and sends the model far less',
    { timeout: 120_000 },
    async () => {
      expect(agentTasks.length).toBeGreaterThanOrEqual(24);
      const [task] = agentTasks;
      if (!task) throw new Error('There is no task.');
      const tools = catalogueOf(agent.definitions, 540);
      const place = { model: harness.model, models: harness.client };
      const planned = await planTask(place, task, { tools });
      const bench = createAgentHarness({ tools: { tools: agent.tools, calls: [], started: [] } });
      const ran = await bench.run({ goal: task.goal, provided: { plan: planned.plan }, approve: 'all' });
      const waves = agent.takeWaves();
      expect(waves.flat().length).toBeGreaterThanOrEqual(3);
      const before = await agent.state();
      expect(before).not.toBe(await direct.state());
      for (const wave of waves) {
        await Promise.all(
          wave.map(({ uri, args }) => direct.tools.call(uri, args, new AbortController().signal)),
        );
      }
      expect(await direct.state()).toBe(before);
      const toolsCost = toolTokens(directTools(tools));
      const turns = directTurns(task.goal, waves, { answer: ran.answer, toolsCost });
      expect(plain(planned.turns)).toBeLessThan(0.05 * plain(turns));
    },
  );

  it(
    '[ACC-3-number] [ACC-4] uses at most 0.15 of the tokens of direct calls for all one-shot tasks, at 16 and at 56 tools',
    { timeout: 300_000 },
    async () => {
      const place = { model: harness.model, models: harness.client };
      const sizes = [16, 56].map((size) => {
        const tools = catalogueOf(agent.definitions, size);
        const rows: { readonly goal: string; readonly agent: number; readonly direct: number }[] = [];
        return { size, tools, toolsCost: toolTokens(directTools(tools)), rows };
      });
      agent.takeWaves();
      let [agentMs, directMs] = [0, 0];
      for (const task of agentTasks) {
        const planned: PlannedTask[] = [];
        for (const { tools } of sizes) planned.push(await planTask(place, task, { tools }));
        const { plan } = planned[1] ?? {};
        const bench = createAgentHarness({ tools: { tools: agent.tools, calls: [], started: [] } });
        const ran = await bench.run({ goal: task.goal, provided: { plan }, approve: 'all' });
        expect(ran, task.goal).toMatchObject({ outcome: 'done' });
        const waves = agent.takeWaves();
        const waitMs = waves.reduce((all, wave) => all + Math.max(0, ...wave.map(toolMs)), 0);
        const oneByOne = waves.flatMap((wave) => wave.map((call) => [call]));
        const toolsCost = sizes[1]?.toolsCost ?? 0;
        const direct = directTurns(task.goal, oneByOne, { answer: ran.answer, toolsCost });
        agentMs += modelMs(planned[1]?.turns ?? []) + waitMs;
        directMs += modelMs(direct) + waves.flat().reduce((all, call) => all + toolMs(call), 0);
        for (const [index, { toolsCost, rows }] of sizes.entries()) {
          const turns = directTurns(task.goal, waves, { answer: ran.answer, toolsCost });
          rows.push({ goal: task.goal, agent: plain(planned[index]?.turns ?? []), direct: plain(turns) });
        }
      }
      for (const { size, rows } of sizes) {
        const sum = (side: 'agent' | 'direct') => rows.reduce((all, row) => all + row[side], 0);
        const worst = rows.reduce((a, b) => (a.agent / a.direct > b.agent / b.direct ? a : b));
        const pooled = sum('agent') / sum('direct');
        process.stdout.write(
          `${size} tools: pooled ${pooled.toFixed(3)}, worst ${(worst.agent / worst.direct).toFixed(3)} (${worst.goal})\n`,
        );
        expect(rows).toHaveLength(agentTasks.length);
        expect(pooled).toBeLessThanOrEqual(0.15);
      }
      expect(agentMs / directMs).toBeLessThanOrEqual(0.7);
    },
  );

  it(
    '[ACC-3] replans after a call that fails in the run, and counts both turns',
    { timeout: 120_000 },
    async () => {
      const task = agentTasks.find(({ goal }) => goal.startsWith('Which 3 customers'));
      if (!task) throw new Error('There is no such task.');
      const tools = catalogueOf(agent.definitions, 56);
      const place = { model: harness.model, models: harness.client, real: agent.tools };
      const { ran, replans, turns } = await runWithReplan(place, task, tools);
      expect(ran).toMatchObject({ outcome: 'done', nodes: [{ status: 'done' }] });
      expect(replans).toBe(1);
      expect(turns).toHaveLength(2);
      const [first, second] = turns;
      // The conversation continues: the second request adds its plan and the failure to the first one.
      expect((second?.input ?? 0) / (first?.input ?? 1)).toBeLessThan(1.3);
      const repeated = agent.takeWaves();
      const toolsCost = toolTokens(directTools(tools));
      const direct = directTurns(task.goal, repeated, { answer: ran.answer, toolsCost });
      expect(plain(turns)).toBeLessThan(0.25 * plain(direct));
    },
  );
});
