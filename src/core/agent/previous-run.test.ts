import { describe, expect, it } from 'vitest';
import type { Grant } from '#shared/grant';
import { ok } from '#shared/result';
import type { EarlierTurn } from '../ports/agent';
import { createAgentHarness } from '../../testing/agent-harness';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { createMemoryArtifacts } from '../../testing/in-process-sandbox';
import { createMemoryTexts } from '../../testing/memory-texts';
import { runOf } from '../../testing/sample-session';
import { draftRecipe } from './save-recipe';
import { createRecipes } from './recipes';

const submit = (value: unknown) => [
  {
    type: 'tool-call' as const,
    call: { id: 'c1', name: 'submit_plan', argumentsJson: JSON.stringify(value) },
  },
  { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
];
const list = {
  nodes: [
    {
      id: 'copies',
      code: "return { summary: 'found', state: { paths: (await tools.box.get({})).rows, long: 'x'.repeat(9000) } };",
    },
  ],
  answer: 'Found {{copies.paths}}.',
};
const remove = {
  code: "const { paths, long } = inputs.previous.copies; for (const path of paths) await tools.box.put({ path }); return { summary: 'removed', state: { n: paths.length, long: long.length } };",
  answer: 'Removed {{work.n}} of {{work.long}}.',
};

function harness(reply: object, shared = createMemoryTexts(), artifacts = createMemoryArtifacts()) {
  const tools = createInMemoryTools({
    'mcp://box.get': { call: () => ok({ rows: ['a', 'b'] }) },
    'mcp://box.put': { readOnly: false, call: ({ path }) => ok(`put ${JSON.stringify(path)}`) },
  });
  const replies = [submit(reply), submit(reply)];
  return { ...createAgentHarness({ tools, replies, texts: shared, artifacts }), tools };
}

/** The turn of a run that found two copies, as a later line of its session sees it. */
async function earlierTurn(artifacts = createMemoryArtifacts()): Promise<EarlierTurn> {
  const found = harness(list, createMemoryTexts(), artifacts);
  const { answer } = await found.run();
  return { line: 'Find duplicates', answer, run: runOf(found.facts) };
}

describe('the results of an earlier run', () => {
  it('[STG-previous] are complete in a plan, under the ids that the conversation names', async () => {
    const artifacts = createMemoryArtifacts();
    const conversation = [
      await earlierTurn(artifacts),
      { line: 'And?', answer: 'Which ones?', run: undefined },
    ] as unknown as EarlierTurn[];
    const texts = createMemoryTexts();
    const { run, requests, tools } = harness(remove, texts, artifacts);
    const report = await run({ conversation, approve: 'all' });
    expect(report).toMatchObject({ outcome: 'done', answer: 'Removed 2 of 9000.' });
    expect(tools.calls.map(({ uri }) => uri)).toEqual(['mcp://box.put', 'mcp://box.put']);
    expect(requests[0]?.messages.map(({ content }) => content).join('\n')).toContain('"copies"');
    const again = harness(remove, texts, artifacts);
    await again.run({ conversation, approve: 'all' });
    expect(again.requests).toHaveLength(1);
  });

  it('[STG-previous] are read by the planning model, under the same ids, before it plans', async () => {
    const artifacts = createMemoryArtifacts();
    const conversation = [await earlierTurn(artifacts)];
    const read = (args: object) => [
      {
        type: 'tool-call' as const,
        call: { id: 'r', name: 'read_result', argumentsJson: JSON.stringify(args) },
      },
      { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
    ];
    const replies = [
      read({ id: 'copies', path: '/paths' }),
      read({ id: 'previous', path: '/copies/long', to: 1 }),
      [
        { type: 'text' as const, text: 'Two.' },
        { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
      ],
    ];
    const { run, requests } = createAgentHarness({ tools: createInMemoryTools({}), replies, artifacts });
    expect(await run({ conversation })).toMatchObject({ outcome: 'answered', answer: 'Two.' });
    const answers = requests[2]?.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(JSON.parse(answers?.[0] ?? '')).toMatchObject({ value: ['a', 'b'], total: 2, more: false });
    expect(answers?.[1]).toContain('xxxx');
  });

  it('[STG-previous] are refused by the check where there are none, and excluded from recipes', async () => {
    const { run, requests } = harness(remove);
    expect(await run()).toMatchObject({ outcome: 'failed', nodes: [] });
    expect(requests[1]?.messages.at(-1)?.content).toContain('no earlier run with results');
    const conversation = [await earlierTurn()];
    const later = harness({ ...remove, code: remove.code.replace(', long }', ', long = "" }') });
    await later.run({ conversation, approve: 'all' });
    const saved = draftRecipe(
      runOf(later.facts),
      { id: 'remove_copies' },
      { project: '/srv/project', there: createRecipes([]) },
    );
    expect(saved.recipe).toBeNull();
    expect(saved.findings[0]?.message).toContain('inputs.previous');
  });

  it('[STG-origins] pass their sources on to the nodes of the next plan', async () => {
    const code = "await tools.box.put({ path: 'c' }); return { summary: 'x' };";
    const { run, facts } = harness({ code, answer: 'x' });
    await run({ conversation: [await earlierTurn()], approve: 'all' });
    const node = runOf(facts).nodes.find(({ id }) => id === 'work');
    expect(node?.origins).toContainEqual(expect.objectContaining({ source: 'mcp://box.get' }));
    const alone = harness({ code, answer: 'x' });
    await alone.run({ approve: 'all' });
    expect(runOf(alone.facts).nodes.find(({ id }) => id === 'work')?.origins ?? []).not.toContainEqual(
      expect.objectContaining({ source: 'mcp://box.get' }),
    );
  });

  it('[STG-origins] include the tools that the model called for a reply, unless they only confirm', async () => {
    const writes = { readOnly: false, trusted: true, call: () => ok('written') };
    const tools = createInMemoryTools({
      'mcp://web.get': { call: () => ok('a page') },
      'mcp://notes.get': { trusted: true, call: () => ok('a note') },
      'mcp://filesystem.write_file': { ...writes, bundled: 'filesystem' },
    });
    const called = ['mcp://web.get', 'mcp://notes.get', 'mcp://filesystem.write_file', 'mcp://gone.get'];
    const code = "return { summary: 'x' };";
    const { run, facts } = createAgentHarness({ tools, replies: [submit({ code, answer: 'x' })] });
    await run({ conversation: [{ line: 'What does it say?', answer: 'This.', called }] });
    const node = runOf(facts).nodes.find(({ id }) => id === 'work');
    expect(node?.origins?.map(({ source, trusted }) => [source, trusted])).toEqual([
      ['mcp://web.get', false],
      ['mcp://notes.get', true],
      ['mcp://gone.get', false],
    ]);
  });

  it('[AGP-grant-tainted] a text of an untrusted server in a reply needs a card in spite of a permission', async () => {
    const outcome = async (called: EarlierTurn['called']) => {
      const tools = createInMemoryTools({
        'mcp://web.get': { call: () => ok('a page') },
        'mcp://box.put': { readOnly: false, trusted: true, call: () => ok('stored') },
      });
      const code = "await tools.box.put({ text: 'a page' }); return { summary: 'x' };";
      const grant: Grant = {
        id: 'grant_1',
        decision: 'allow',
        tool: 'mcp://box.put',
        where: {},
        at: 0,
        reach: { kind: 'always', project: '/srv/project' },
      };
      const replies = [submit({ code, answer: 'x' })];
      const { run } = createAgentHarness({ tools, replies, grants: () => [grant] });
      const turn = { line: 'What does it say?', answer: 'a page', ...(called && { called }) };
      await run({ sessionId: 'ses_1', conversation: [turn] });
      return tools.calls.length;
    };
    expect([await outcome(undefined), await outcome(['mcp://web.get'])]).toEqual([1, 0]);
  });
});
