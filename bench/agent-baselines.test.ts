import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelRequest } from '../src/core/ports/llm';
import { startScriptedHarness } from '../src/testing/scripted-model-client';
import { catalogueOf } from './lib/agent-catalogues';
import { reachOf } from './lib/agent-runs';
import { model } from './lib/agent-sides';
import { startBenchServers, type BenchServers } from './lib/agent-servers';
import { agentTasks } from './lib/agent-tasks';
import { plain } from './lib/agent-tokens';
import { baselines, converse } from './lib/baselines';
import { liveSettings } from './lib/live-model';
import { recordTurns } from './lib/recorded-turns';
import { retailFolder, retailTasks, startRetail } from './lib/retail-tasks';
import { measureRetail, measureTasks } from './lib/scripted-sides';
import { stagedTasks } from './lib/staged-tasks';

describe('[NUM-baselines] the four baselines of the agent bench', () => {
  it('use HTTP, leave the same state, and measure a staged task in its stages', async () => {
    const tasks = [agentTasks[0], stagedTasks[0]].flatMap((task) => task ?? []);
    const measured = await measureTasks(tasks, {
      start: startBenchServers,
      catalogue: (real) => catalogueOf(real, 16),
    });
    expect(measured).toHaveLength(2);
    const [oneShot, staged] = measured;
    expect(oneShot?.agent).toHaveLength(1);
    expect(staged?.agent).toHaveLength(2);
    // The second request of a run repeats the first, so that its beginning is cached.
    expect(staged?.agent[1]?.cached).toBe(staged?.agent[0]?.input);
    for (const one of measured) {
      expect(Object.keys(one.sides).sort()).toEqual([...baselines].sort());
      expect(plain(one.agent)).toBeLessThan(plain(one.sides.parallel));
      expect(one.sides.turns.length).toBeGreaterThan(one.sides.parallel.length);
    }
  }, 240_000);

  it('leave the reference state of the database in a public task', async ({ skip }) => {
    const folder = retailFolder();
    if (folder === null) return skip('the public data is not here');
    const tasks = retailTasks(folder).slice(0, 2);
    expect(tasks[0]?.needs).toContain('7747408585');
    const measured = await measureRetail(tasks, () => startRetail(folder));
    expect(measured).toHaveLength(2);
    expect(measured[0]?.agent.length).toBeGreaterThanOrEqual(2);
  }, 240_000);
});

describe('[NUM-baselines] a model that searches for its tools', () => {
  let world: BenchServers;
  let harness: Awaited<ReturnType<typeof startScriptedHarness>>;
  beforeAll(async () => {
    [world, harness] = await Promise.all([startBenchServers(), startScriptedHarness({ replies: [] })]);
  }, 120_000);
  afterAll(() => Promise.all([world.tools.release(), harness.close()]));

  it('sees no tool before it asks, and the declarations it found in the result', async () => {
    harness.model.add(
      { toolCalls: [{ name: 'search_tools', arguments: { query: 'get order' } }] },
      {
        toolCalls: [
          { name: 'call_tool', arguments: { name: 'shop__get_order', arguments: { id: 'O-1001' } } },
        ],
      },
      { text: 'It is open.' },
    );
    const { models } = recordTurns(harness.client, false);
    const answer = await converse(
      { models, model },
      'search',
      'Is O-1001 open?',
      reachOf(world, world.definitions),
    );
    expect(answer).toBe('It is open.');
    const [first, second, third] = harness.model.chats();
    expect(first?.text).not.toContain('get_order');
    expect(second?.text).toContain('shop__get_order');
    expect(third?.text).toContain('\\"status\\":\\"open\\"');
  });
});

describe('[NUM-baselines] the cached part of a request', () => {
  const request = (...texts: readonly string[]): ModelRequest => ({
    model,
    messages: texts.map((content) => ({ role: 'user', content })),
  });
  const send = async (...requests: readonly ModelRequest[]) => {
    const { client, model: scripted, close } = await startScriptedHarness({ replies: [] });
    const { models, take } = recordTurns(client, false);
    for (const one of requests) {
      scripted.add({ text: 'yes' });
      for await (const event of models.stream(one, new AbortController().signal))
        expect(event.type).not.toBe('error');
    }
    await close();
    return take();
  };

  it('is its longest common beginning with the request before, and nothing once that changed', async () => {
    const [first, more, other] = await send(request('one'), request('one', 'two'), request('three', 'two'));
    expect(first?.cached).toBe(0);
    expect(more?.cached).toBe(first?.input);
    expect(other?.cached).toBe(0);
  });
});

describe('[NUM-live] the settings of a live run', () => {
  const env = { PATINA_MODEL: 'large', OPENAI_API_KEY: 'sk' };
  const url = 'http://127.0.0.1:1/v1';

  it.each([
    ['no address', undefined, env, 'Give the address'],
    ['an address that is none', 'large', env, 'Give the address'],
    ['no model', url, { OPENAI_API_KEY: 'sk' }, 'Set PATINA_MODEL'],
    ['no key', url, { PATINA_MODEL: 'large' }, 'Set OPENAI_API_KEY'],
    ['no number of tasks', url, { ...env, PATINA_BENCH_TASKS: 'few' }, 'PATINA_BENCH_TASKS is'],
  ])('are reported as missing: %s', (_, address, given, message) => {
    expect(liveSettings(address, given)).toContain(message);
  });

  it('are the address, the model and the key', () => {
    expect(liveSettings(url, env)).toEqual({ baseUrl: url, model: 'large', key: 'sk', most: 100 });
  });
});
