import { describe, expect, it } from 'vitest';
import { boxHarness, planOf, scriptNode } from '../../testing/agent-plans';

/** Runs one step that asks for this many writes at once, of which the user approves the first ones. */
async function endsOf(writes: number, approved: number, then = "return { summary: '' };") {
  const { run, agent, facts, seen } = boxHarness();
  const put = `await Promise.allSettled(Array.from({ length: ${writes} }, (_, n) => tools.box.put({ n })));`;
  const plan = planOf([
    scriptNode('work', `${put} ${then}`),
    scriptNode('after', "return { summary: '' };", { deps: ['work'] }),
  ]);
  const asked = seen('approval-requested');
  const running = run({ provided: { plan }, approve: 'ask' });
  if (writes > 0) {
    await asked;
    const cards = facts.flatMap((fact) => (fact.type === 'approval-requested' ? [fact] : []));
    agent.answer(cards.map(({ approvalId, hash }, at) => ({ approvalId, hash, approved: at < approved })));
  }
  const { nodes, artifacts } = await running;
  const end = (id: string) => nodes.find((node) => node.id === id);
  return { asking: end('approve_work'), work: end('work'), after: end('after'), facts, artifacts };
}

describe('the approval node of a step', () => {
  it.each([
    [0, 0, 'done', 'The step asked for no write.'],
    [1, 1, 'done', 'The write was approved.'],
    [2, 2, 'done', 'All 2 writes were approved.'],
    [1, 0, 'failed', 'Not approved.'],
    [2, 0, 'failed', 'None of 2 writes was approved.'],
    [3, 2, 'done', '1 of 3 writes was refused.'],
    [3, 1, 'done', '2 of 3 writes were refused.'],
  ])('says of %i writes, %i approved: %s, %s', async (writes, approved, status, summary) => {
    expect((await endsOf(writes, approved)).asking).toEqual({
      id: 'approve_work',
      status,
      summary,
      cached: false,
    });
  });

  it('is skipped when the step ends before a write, and done when it ends after one', async () => {
    const fail = "throw new Error('no');";
    expect(await endsOf(0, 0, fail)).toMatchObject({
      asking: { status: 'skipped', summary: 'The step ended before a write was approved.' },
      work: { status: 'failed' },
      after: { status: 'skipped', summary: '"work" did not finish.', cached: false },
    });
    expect(await endsOf(1, 1, fail)).toMatchObject({
      asking: { status: 'done', summary: 'The write was approved.' },
      work: { status: 'failed' },
    });
  });

  it('begins before its step and ends before it', async () => {
    const { facts } = await endsOf(1, 1);
    const order = facts.flatMap((fact) =>
      fact.type === 'node-started' || fact.type === 'node-ended' ? [`${fact.type} ${fact.nodeId}`] : [],
    );
    expect(order).toEqual([
      'node-started approve_work',
      'node-started work',
      'node-ended approve_work',
      'node-ended work',
      'node-started after',
      'node-ended after',
    ]);
  });

  it('is skipped with its step', async () => {
    const { run } = boxHarness();
    const plan = planOf([
      scriptNode('first', "throw new Error('no');"),
      scriptNode('work', 'await tools.box.put({});', { deps: ['first'] }),
    ]);
    const { nodes } = await run({ provided: { plan }, approve: 'all' });
    expect(nodes.map(({ id, status, summary }) => [id, status, summary])).toEqual([
      ['first', 'failed', expect.any(String)],
      ['approve_work', 'skipped', '"first" did not finish.'],
      ['work', 'skipped', '"first" did not finish.'],
    ]);
  });
});

describe('the record of a step’s end', () => {
  const recorded = async (code: string) => {
    const { run, facts } = boxHarness();
    await run({ provided: { plan: planOf([scriptNode('work', code)]) } });
    return facts.find((fact) => fact.type === 'node-ended');
  };

  it('has what the step logged, and where its results come from', async () => {
    const code = "log('one'); const { value } = await tools.box.get({ n: 1 }); return { state: { value } };";
    expect(await recorded(code)).toMatchObject({
      nodeId: 'work',
      status: 'done',
      state: { value: 2 },
      log: ['one'],
      origins: [{ source: 'mcp://box.get', nodeId: 'work' }],
    });
  });

  it('has neither where there is none', async () => {
    const end = await recorded('return { state: { n: 1 } };');
    for (const name of ['origins', 'attempts', 'error']) expect(end).not.toHaveProperty(name);
  });
});
