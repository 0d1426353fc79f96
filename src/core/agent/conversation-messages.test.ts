import { describe, expect, it } from 'vitest';
import { ok } from '#shared/result';
import { createAgentHarness } from '../../testing/agent-harness';
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
