import { describe, expect, it } from 'vitest';
import { ok } from '#shared/result';
import { createAgentHarness } from '../../testing/agent-harness';
import { boxHarness, planOf, scriptNode } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { createNullSandbox } from '../../main/adapters/sandbox/no-sandbox';

const names = ['a', 'b', 'c', 'd'];
const plan = planOf(
  [
    ...names.map((name) =>
      scriptNode(
        name,
        'const got = await Promise.all([1, 2, 3].map((n) => tools.box.get({ n }))); return { summary: "got", state: { got } };',
      ),
    ),
    scriptNode('all', 'return { summary: "all", state: { all: inputs } };', { deps: names }),
  ],
  '{{all.all}}',
);

/** One run whose calls end in an order determined by `seed`. */
async function shuffledRun(seed: number) {
  const waiting: (() => void)[] = [];
  let random = seed + 1;
  const pick = (below: number): number => (random = (random * 48_271) % 2_147_483_647) % below;
  const order: number[] = [];
  const tools = createInMemoryTools({
    'mcp://box.get': {
      call: ({ n }) =>
        new Promise((resolve) => {
          waiting.push(() => {
            order.push(Number(n));
            resolve(ok({ n: Number(n) }));
          });
          if (waiting.length < 12) return;
          while (waiting.length > 0) waiting.splice(pick(waiting.length), 1)[0]?.();
        }),
    },
  });
  const { outcome, answer, summaryHash } = await createAgentHarness({ tools }).run({ provided: { plan } });
  return { outcome, answer, summaryHash, order: order.join() };
}

describe('determinism', () => {
  it(
    '[ACC-7] produces one summary hash in 100 runs whose calls end in shuffled order',
    { timeout: 120_000 },
    async () => {
      const runs = await Promise.all(Array.from({ length: 100 }, (_, seed) => shuffledRun(seed)));
      expect(new Set(runs.map(({ order }) => order)).size).toBeGreaterThan(50);
      expect(runs.every(({ outcome }) => outcome === 'done')).toBe(true);
      expect(new Set(runs.map(({ summaryHash }) => summaryHash)).size).toBe(1);
      expect(new Set(runs.map(({ answer }) => answer)).size).toBe(1);
    },
  );

  it('[ACC-10] runs the same plan unchanged on another sandbox', async () => {
    const provided = { plan: planOf([scriptNode('one', 'return { summary: "real" };')], 'Done.') };
    const real = await boxHarness().run({ provided });
    const nothing = await boxHarness({ sandbox: createNullSandbox() }).run({ provided });
    expect(real.nodes[0]).toMatchObject({ status: 'done', summary: 'real' });
    expect(nothing).toMatchObject({ outcome: 'done', planHash: real.planHash });
    expect(nothing.nodes[0]?.summary).not.toBe('real');
  });
});
