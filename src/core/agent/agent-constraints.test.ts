import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import { createAgentHarness } from '../../testing/agent-harness';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';

const harness = (replies: NonNullable<Parameters<typeof createAgentHarness>[0]['replies']> = []) => {
  const tools = createInMemoryTools({
    'mcp://box.put': { readOnly: false, call: () => ok('stored') },
    'mcp://box.get': { call: () => ok({ text: 'x' }) },
    'mcp://box.fail': { call: () => err(appError('TOOL', 'FAILED', 'The box is shut.')) },
  });
  return { ...createAgentHarness({ tools, replies, budgets: { run: { replans: 1 } } }), calls: tools.calls };
};
const plan = (constraints: readonly string[], code: string, answer: unknown = 'Done.') => ({
  ...planOf([scriptNode('work', `${code} return { summary: '' };`)], answer),
  constraints: [...constraints],
});
const end = { type: 'end' as const, inputTokens: 1, outputTokens: 1 };

describe('the constraints of a plan', () => {
  it('[PLN-constraints] no writes: each write is refused before anybody is asked, and reads continue', async () => {
    const { run, calls } = harness();
    const code = `await tools.box.get({}); try { await tools.box.put({ path: 'a' }); } catch {}`;
    const report = await run({ provided: { plan: plan(['no writes'], code) }, approve: 'all' });
    expect(report.outcome).toBe('partial');
    expect(report.writes).toMatchObject([{ target: 'a', outcome: 'refused', layer: 'constraint' }]);
    expect(calls.map(({ uri }) => uri)).toEqual(['mcp://box.get']);
  });

  it.each([
    ['src/a.ts', true],
    ['./src/a.ts', true],
    ['/srv/project/src/a.ts', true],
    ['src', true],
    ['src/../b.ts', false],
    ['src2/a.ts', false],
    ['/src/a.ts', false],
    ['src\\\\..\\\\b', false],
    ['b.ts', false],
  ])('[PLN-constraints] only src/: a write of %j is made: %j', async (path, made) => {
    const { run, calls } = harness();
    const code = `await tools.box.put({ path: '${path}' });`;
    const report = await run({ provided: { plan: plan(['only src/'], code) }, approve: 'all' });
    expect(calls).toHaveLength(made ? 1 : 0);
    expect(report.writes).toMatchObject([{ outcome: made ? 'made' : 'refused' }]);
  });

  it('[PLN-constraints] only src/: every path of a write must match, and a write without a path does not', async () => {
    const { run, calls } = harness();
    const tried = (args: string) => `try { await tools.box.put(${args}); } catch {}`;
    const code = [
      tried("{ source: 'src/a', destination: 'b' }"),
      tried("{ paths: ['src/a', 'c'] }"),
      tried('{ text: 1 }'),
    ];
    const provided = { plan: plan(['only src/', 'only docs/'], code.join(' ')) };
    expect((await run({ provided, approve: 'all' })).writes).toHaveLength(3);
    expect(calls).toEqual([]);
  });

  it('[PLN-constraints] are sent with the answer, and a plan after a failure cannot drop them', async () => {
    const answered = harness([[{ type: 'text', text: 'Fine.' }, end]]);
    const worded = plan(['only once', 'no writes'], '', { llm: true });
    await answered.run({ provided: { plan: worded } });
    expect(answered.requests[0]?.messages.at(-1)?.content).toContain('Constraints: only once; no writes');
    const submit = (reply: object) => [
      {
        type: 'tool-call' as const,
        call: { id: 'c', name: 'submit_plan', argumentsJson: JSON.stringify(reply) },
      },
      end,
    ];
    const first = {
      code: 'await tools.box.fail({}); return { summary: "" };',
      constraints: ['only once', 'no writes'],
      answer: 'Done.',
    };
    const second = {
      code: "await tools.box.put({ path: 'a' }); return { summary: '' };",
      constraints: [],
      answer: 'Done.',
    };
    const replanned = harness([submit(first), submit(second)]);
    const report = await replanned.run({ goal: 'Do it', approve: 'all' });
    expect(JSON.stringify(replanned.requests[1]?.messages)).toContain('only once');
    expect(report.writes).toMatchObject([{ outcome: 'refused', layer: 'constraint' }]);
  });
});
