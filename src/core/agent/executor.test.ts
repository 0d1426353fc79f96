import { describe, expect, it } from 'vitest';
import { ok } from '#shared/result';
import { createAgentHarness } from '../../testing/agent-harness';
import { boxHarness, planOf, scriptNode } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';

const step = (id: string, ...deps: string[]) => scriptNode(id, `return { summary: "${id}" };`, { deps });
const call = (id: string, tool: string, more: object = {}) =>
  scriptNode(id, `await tools.box.${tool}({}); return { summary: "" };`, more);
const statuses = ({ nodes }: { readonly nodes: readonly { readonly status: string }[] }) =>
  nodes.map(({ status }) => status);

describe('the order of a plan', () => {
  it('[AGX-order] starts a step when all its dependencies are done, whatever the order in the plan', async () => {
    const { run, facts } = boxHarness();
    const plan = planOf([
      step('last', 'left', 'right'),
      step('left', 'first'),
      step('right', 'first'),
      step('first'),
    ]);
    expect(statuses(await run({ provided: { plan } }))).toEqual(['done', 'done', 'done', 'done']);
    const seen = facts.flatMap((fact) =>
      fact.type === 'node-started' || fact.type === 'node-ended' ? [`${fact.type} ${fact.nodeId}`] : [],
    );
    const at = (type: 'started' | 'ended', id: string): number => seen.indexOf(`node-${type} ${id}`);
    expect(at('ended', 'first')).toBeLessThan(at('started', 'left'));
    expect(at('ended', 'first')).toBeLessThan(at('started', 'right'));
    expect(Math.max(at('ended', 'left'), at('ended', 'right'))).toBeLessThan(at('started', 'last'));
  });

  it('[AGX-skip] skips every step behind a failed one, also indirectly', async () => {
    const plan = planOf([call('a', 'fail'), step('b', 'a'), step('c', 'b')]);
    expect(statuses(await boxHarness().run({ provided: { plan } }))).toEqual([
      'failed',
      'skipped',
      'skipped',
    ]);
  });

  it('[AGX-at-once] runs at most four steps at the same time', async () => {
    const hanging: (() => void)[] = [];
    let heard = (): void => undefined;
    const tools = createInMemoryTools({
      'mcp://box.get': {
        call: () =>
          new Promise((resolve) => {
            hanging.push(() => resolve(ok(1)));
            heard();
          }),
      },
    });
    const reached = async (count: number): Promise<void> => {
      while (hanging.length < count) await new Promise<void>((resolve) => (heard = resolve));
      // All other nodes that can start have started by now.
      await new Promise(setImmediate);
    };
    const plan = planOf(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => call(id, 'get')));
    const done = createAgentHarness({ tools }).run({ provided: { plan } });
    await reached(4);
    expect(hanging).toHaveLength(4);
    for (let ended = 0; ended < 6; ended += 1) {
      hanging[ended]?.();
      const begun = Math.min(6, ended + 5);
      await reached(begun);
      expect(hanging).toHaveLength(begun);
    }
    expect(statuses(await done)).toEqual(Array(6).fill('done'));
  });

  it.each([
    ['node-started', call('a', 'get'), 'cancelled'],
    ['node-ended', step('a'), 'done'],
  ] as const)(
    '[AGX-pause] stops a run that was paused at %s',
    async (at, first, status) => {
      const { run, agent, seen, stop } = boxHarness();
      const reached = seen(at);
      const done = run({ provided: { plan: planOf([first, step('b', 'a')]) } });
      expect(agent.pause((await reached).runId, true)).toBe(true);
      if (at === 'node-ended') await new Promise((resolve) => setImmediate(resolve));
      stop.abort();
      const ended = await done;
      expect([ended.outcome, statuses(ended)]).toEqual(['cancelled', [status, 'cancelled']]);
    },
    20_000,
  );
});

describe('shared state of steps', () => {
  it('[AGX-state] a step reads a private copy of the states of its dependencies, by id, and of no other step', async () => {
    const { run, units } = boxHarness();
    const plan = planOf([
      scriptNode('a', 'return { summary: "", state: { n: 1 } };'),
      scriptNode('other', 'return { summary: "", state: { n: 5 } };'),
      scriptNode('b', 'inputs.a.n = 7; return { summary: "", state: { n: inputs.a.n } };', { deps: ['a'] }),
      scriptNode('c', 'return { summary: "", state: { n: inputs.a.n + inputs.b.n } };', { deps: ['a', 'b'] }),
    ]);
    await run({ provided: { plan } });
    const inputs = units.map((unit) => unit.inputs);
    expect(inputs.filter((given) => given && 'other' in given)).toEqual([]);
    expect(inputs).toContainEqual({ a: { n: 7 } });
    expect(inputs.at(-1)).toEqual({ a: { n: 1 }, b: { n: 7 } });
  });

  it('[AGX-reduce] the results are combined in plan order, whatever order the steps end in', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const tools = createInMemoryTools({ 'mcp://box.get': { call: () => held.then(() => ok({ n: 1 })) } });
    const { run, seen } = createAgentHarness({ tools });
    const slow = scriptNode('slow', 'return { summary: "s", state: await tools.box.get({}) };');
    const quick = scriptNode('quick', 'return { summary: "q", state: { n: 2 } };');
    const ended = seen('node-ended');
    const done = run({ provided: { plan: planOf([slow, quick], '{{slow.n}} then {{quick.n}}') } });
    expect(await ended).toMatchObject({ nodeId: 'quick' });
    release();
    const report = await done;
    expect(report.answer).toBe('1 then 2');
    expect(report.nodes.map(({ id }) => id)).toEqual(['slow', 'quick']);
    const alone = createAgentHarness({
      tools: createInMemoryTools({ 'mcp://box.get': { call: () => ok({ n: 1 }) } }),
    });
    const same = await alone.run({
      provided: { plan: planOf([slow, quick], '{{slow.n}} then {{quick.n}}') },
    });
    expect(same.summaryHash).toBe(report.summaryHash);
  });
});
