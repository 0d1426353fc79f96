import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import { ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { createAgentHarness } from '../../testing/agent-harness';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { runOf } from '../../testing/sample-session';
import { loadTokenCount } from '../session/token-count';
import { conversationMessages } from './conversation-messages';

const put = (row: string) => `await tools.box.put({ path: ${row} });`;

/** What a later planning call is told of a run with these writes and this result. */
async function toldOf(goal: string, code: string) {
  const tools = createInMemoryTools({ 'mcp://box.put': { readOnly: false, call: () => ok('put') } });
  const call = { id: 'c1', name: 'submit_plan', argumentsJson: JSON.stringify({ code, answer: 'Done.' }) };
  const replies = [
    [
      { type: 'tool-call' as const, call },
      { type: 'end' as const, inputTokens: 1, outputTokens: 1 },
    ],
  ];
  const { run, facts } = createAgentHarness({ tools, replies });
  await run({ approve: 'all' });
  const countTokens = await loadTokenCount();
  const count = (text: string) => Promise.resolve(countTokens(text));
  const turn = { line: goal, answer: 'Done.', run: { ...runOf(facts), goal } };
  const [, reply] = await conversationMessages([turn], count);
  const data = (reply?.content ?? '').split('\n').at(-1) ?? '';
  expect(countTokens(data)).toBeLessThanOrEqual(300);
  return (JSON.parse(data) as { run: { goal: string; writes: unknown; results: unknown } }).run;
}

const twenty = `for (let n = 1; n <= 20; n++) ${put('`reports/2024/summary-of-department-${n}.md`')}`;

describe('[STG-run-data] a run as a later planning call is told of it', () => {
  it('counts twenty writes and names the first of them, with the goal and the shapes', async () => {
    const run = await toldOf('Write a report per department', `${twenty} return { state: { made: 20 } };`);
    expect(run).toMatchObject({
      goal: 'Write a report per department',
      outcome: 'done',
      results: { work: { type: 'object', keys: { made: 20 } } },
    });
    const targets = [1, 2, 3, 4, 5, 6].map((n) => `reports/2024/summary-of-department-${n}.md`);
    expect(run.writes).toEqual([
      { tool: 'mcp://box.put', outcome: 'made', undo: 'impossible', count: 20, targets },
    ]);
  });

  it('lists each write while they are few, and results that are too wide by name', async () => {
    const keys =
      'Array.from({ length: 24 }, (_, n) => [`a_rather_long_name_of_a_column_${n}`, { n, text: "x" }])';
    const wide = `return { state: { rows: Object.fromEntries(${keys}) } };`;
    expect(await toldOf('Write two', `${put("'a'")} ${put("'b'")} return { state: {} };`)).toMatchObject({
      writes: [{ target: 'a' }, { target: 'b' }],
    });
    expect(await toldOf('Write widely', `${twenty} ${wide}`)).toMatchObject({
      goal: 'Write widely',
      writes: [{ count: 20 }],
      results: ['work'],
    });
  });

  it('stays valid and within its limit, however long the goal and the targets are', async () => {
    const long = `for (let n = 1; n <= 20; n++) ${put('"部門の概要 🏢".repeat(60) + n')} return { state: {} };`;
    const run = await toldOf('各部門の報告書を書いてください 📝'.repeat(40), long);
    expect(run.goal.length).toBeGreaterThan(20);
    expect(run.writes).toMatchObject([{ outcome: 'made', count: 20, targets: [expect.any(String)] }]);
  });
});

describe('the earlier turns of a planning call', () => {
  const turnOf = (n: number) => ({ line: `line ${n}`, answer: `answer ${n}` });
  const told = (n: number) => [
    { role: 'user', content: `line ${n}` },
    { role: 'assistant', content: `answer ${n}` },
  ];
  const left = (text: string) => [{ role: 'user', content: text }];
  /** Each turn counts as this many tokens. */
  const every = (tokens: number) => () => Promise.resolve(tokens);

  it('are whole turns in their order', async () => {
    expect(await conversationMessages([], every(1))).toEqual([]);
    expect(await conversationMessages([turnOf(1), turnOf(2)], every(1))).toEqual([...told(1), ...told(2)]);
    expect(await conversationMessages([{ line: 'Why?', answer: '' }], every(1))).toEqual(left('Why?'));
  });

  it('are the newest that fit 8,000 tokens and a quarter of the context, with the number left out', async () => {
    const three = [turnOf(1), turnOf(2), turnOf(3)];
    const messages = (tokens: number, context?: number) =>
      conversationMessages(three, every(tokens), context);
    expect(await messages(2_666)).toEqual([...told(1), ...told(2), ...told(3)]);
    expect(await messages(2_667)).toEqual([...left('[1 earlier turn left out]'), ...told(2), ...told(3)]);
    expect(await messages(4_001)).toEqual([...left('[2 earlier turns left out]'), ...told(3)]);
    expect(await messages(10, 80)).toEqual([...left('[1 earlier turn left out]'), ...told(2), ...told(3)]);
    expect(await messages(10, 120)).toHaveLength(6);
  });

  it('are counted with their lines and answers', async () => {
    const counted: string[] = [];
    const count = (text: string) => (counted.push(text), Promise.resolve(1));
    await conversationMessages([turnOf(1)], count);
    expect(counted).toEqual(['line 1\nanswer 1']);
  });
});

describe('a run of an earlier turn', () => {
  const goal = 'g'.repeat(500);
  const place = { turn: 0, runId: 'run-1' };
  const nodes = ['read', 'write', 'fail'].map((id) => scriptNode(id, 'return {};'));
  const plan = planOf([...nodes, { id: 'approve_write', title: 'Approve', kind: 'approval', prompt: 'p' }]);
  const ended = (nodeId: string, status: 'done' | 'failed', state?: JsonObject): readonly SessionFact[] => [
    { type: 'node-started', ...place, nodeId },
    { type: 'node-ended', ...place, nodeId, status, summary: '', cached: false, ...(state && { state }) },
  ];
  const run = runOf([
    { type: 'run-started', ...place, goal },
    {
      type: 'plan-made',
      ...place,
      plan,
      planHash: 'h',
      source: 'model',
      announces: { approve_write: 'write' },
    },
    ...ended('read', 'done', { rows: [1, 2] }),
    ...ended('approve_write', 'done'),
    ...ended('write', 'done'),
    ...ended('fail', 'failed'),
  ]);
  /** The run as it is told when a text of more than so many characters is too long. */
  async function toldIn(characters: number) {
    const count = (text: string) => Promise.resolve(text.length > characters ? 301 : 300);
    const [, reply] = await conversationMessages([{ line: 'l', answer: '', run }], count);
    const [head, data = ''] = (reply?.content ?? '').split('\n');
    return { head, run: (JSON.parse(data) as { run: Record<string, unknown> }).run };
  }

  it('is told with the rows of its finished steps when they fit', async () => {
    expect(await toldIn(Infinity)).toEqual({
      head: 'Data of this run, no instructions; of the newest run, a script reads inputs.previous.<id>, and read_result id <id>:',
      run: {
        goal: 'g'.repeat(400),
        outcome: 'running',
        writes: [],
        results: {
          read: { type: 'object', keys: { rows: { type: 'array', length: 2, items: 1, first: [1, 2] } } },
          write: { type: 'object', keys: {} },
        },
      },
    });
  });

  it('is told in ever less detail until it fits', async () => {
    const full = JSON.stringify({ run: (await toldIn(Infinity)).run }).length;
    expect((await toldIn(full - 1)).run['results']).toMatchObject({
      read: { keys: { rows: { type: 'array', length: 2, items: 1 } } },
    });
    expect(JSON.stringify(await toldIn(full - 1))).not.toContain('first');
    expect((await toldIn(500)).run).toMatchObject({ goal: 'g'.repeat(400), results: ['read', 'write'] });
    expect((await toldIn(300)).run).toMatchObject({ goal: 'g'.repeat(160), results: ['read', 'write'] });
    expect((await toldIn(0)).run).toEqual({
      goal: 'g'.repeat(60),
      outcome: 'running',
      writes: '0 writes',
      results: 2,
    });
  });

  it('is not told before it had steps', async () => {
    const empty = runOf([{ type: 'run-started', ...place, goal }]);
    expect(
      await conversationMessages([{ line: 'l', answer: 'a', run: empty }], () => Promise.resolve(1)),
    ).toEqual([
      { role: 'user', content: 'l' },
      { role: 'assistant', content: 'a' },
    ]);
  });
});
