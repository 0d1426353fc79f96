import { describe, expect, it } from 'vitest';
import { ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { createAgentHarness, type AgentHarnessOptions } from '../../testing/agent-harness';
import { typesOf } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { createMemoryArtifacts } from '../../testing/in-process-sandbox';
import { createMemoryTexts } from '../../testing/memory-texts';
import { runOf } from '../../testing/sample-session';

const submit = (value: unknown, id = 'c1') => [
  { type: 'tool-call' as const, call: { id, name: 'submit_plan', argumentsJson: JSON.stringify(value) } },
  { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
];
const call = (name: string, args: object, id = 'r1') => [
  { type: 'tool-call' as const, call: { id, name, argumentsJson: JSON.stringify(args) } },
  { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
];
const say = (text: string) => [
  { type: 'text' as const, text },
  { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
];
const look = {
  code: "return { summary: 'read', state: { rows: (await tools.box.get({})).rows } };",
  then: 'look',
};
const write = {
  code: "for (const row of inputs.work.rows) await tools.box.put({ row }); return { summary: 'written', state: { n: inputs.work.rows.length } };",
  answer: 'Wrote {{work2.n}} of {{work.rows}}.',
};

function box() {
  return createInMemoryTools({
    'mcp://box.get': { call: () => ok({ rows: ['a', 'b'] }) },
    'mcp://box.put': { readOnly: false, call: ({ row }) => ok(`put ${JSON.stringify(row)}`) },
  });
}
const harness = (replies: AgentHarnessOptions['replies'], more: Partial<AgentHarnessOptions> = {}) => {
  const tools = box();
  const made = createAgentHarness({ tools, ...(replies && { replies }), ...more });
  const calls = (name: string) => tools.calls.filter(({ uri }) => uri === `mcp://box.${name}`);
  return { ...made, tools, calls };
};

describe('a run in stages', () => {
  it('[STG-look] shows the model the results of a stage, and the next stage reads them', async () => {
    const { run, requests, calls, facts } = harness([submit(look), submit(write, 'c2')]);
    const report = await run({ approve: 'all' });
    expect(report).toMatchObject({
      outcome: 'done',
      answer: 'Wrote 2 of a, b.',
      usage: { modelTurns: 2 },
      stages: [{ nodes: [{ id: 'work' }] }, { nodes: [{ id: 'approve_work2' }, { id: 'work2' }] }],
      nodes: [{ id: 'work' }, { id: 'approve_work2' }, { id: 'work2' }],
      writes: [{ outcome: 'made' }, { outcome: 'made' }],
    });
    expect(calls('get')).toHaveLength(1);
    expect(calls('put')).toHaveLength(2);
    const [first, second] = requests.map(({ messages }) => messages);
    expect(second?.slice(0, first?.length)).toEqual(first);
    expect(second?.slice(first?.length).map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect(JSON.parse(second?.at(-1)?.content ?? '')).toEqual({
      stage: 1,
      nodes: [{ id: 'work', status: 'done', summary: 'read', state: { rows: ['a', 'b'] } }],
      writes: [],
      said: [],
    });
    const shown = runOf(facts);
    expect(shown.nodes.map(({ id, status }) => [id, status])).toEqual([
      ['work', 'done'],
      ['approve_work2', 'done'],
      ['work2', 'done'],
    ]);
    expect(shown.stages).toMatchObject([{ stage: 1, look: true }, { stage: 2 }]);
    expect(shown.stages?.map(({ planHash }) => planHash)).toEqual(
      report.stages.map(({ planHash }) => planHash),
    );
    expect(report.planHash).not.toBe(report.stages[0]?.planHash);
  });

  it('[STG-look] ends in the words of the model, and counts them done only where all was', async () => {
    const clean = harness([submit(look), say('There are two rows.')]);
    expect(await clean.run()).toMatchObject({ outcome: 'done', answer: 'There are two rows.' });
    const refused = { ...write, then: 'look' };
    const asks = harness([
      submit(look),
      submit({ ...refused, code: `try { ${refused.code} } catch { return { summary: 'no' } }` }, 'c2'),
      say('x'),
    ]);
    const report = await asks.run({ approve: 'none' });
    expect(report.outcome).toBe('partial');
    expect(asks.requests).toHaveLength(2);
    expect(asks.calls('put')).toHaveLength(0);
  });

  it('[STG-look] hands a failed stage to the model, which goes on from it', async () => {
    const broken = { code: "throw new Error('no such row');", then: 'look' };
    const { run, requests, facts } = harness([
      submit(broken),
      submit(look, 'c2'),
      say('Two rows. Which one?'),
    ]);
    expect(await run()).toMatchObject({ outcome: 'done', asks: true, stages: [{}, {}] });
    expect(requests[1]?.messages.at(-1)?.content).toContain('no such row');
    expect(runOf(facts).nodes.map(({ id, status }) => [id, status])).toEqual([['work', 'done']]);
  });

  it('[STG-ids] refuses an id that an earlier stage has used, and one that is reserved', async () => {
    const again = {
      nodes: [
        { id: 'work', code: 'return { summary: "" };' },
        { id: 'previous', code: 'return { summary: "" };' },
      ],
      answer: 'x',
    };
    const { run, requests } = harness([submit(look), submit(again, 'c2'), say('Fine.')]);
    expect(await run()).toMatchObject({ outcome: 'done', answer: 'Fine.' });
    const told = requests[2]?.messages.at(-1)?.content ?? '';
    expect(told).toContain('work: an earlier step of this run has this id');
    expect(told).toContain('previous: this id is reserved');
  });

  it('[STG-limit] offers no further plan once the stages are used up', async () => {
    const stages = [1, 2].map((n) => submit({ code: "return { summary: 's' };", then: 'look' }, `c${n}`));
    const { run, requests } = harness([...stages, say('That is all.')], { budgets: { run: { stages: 2 } } });
    expect(await run()).toMatchObject({ outcome: 'done', answer: 'That is all.', stages: [{}, {}] });
    const names = requests.map(({ tools = [] }) => tools.some(({ name }) => name === 'submit_plan'));
    expect(names).toEqual([true, true, false]);
  });

  it('[STG-observation] shows shapes instead of states that are too long, and the model reads parts of them', async () => {
    const long = {
      code: "return { summary: 'long', state: { rows: Array.from({ length: 900 }, (_, n) => ({ n, name: 'row ' + n })) } };",
      then: 'look',
    };
    const { run, requests } = harness([
      submit(long),
      call('read_result', { id: 'work', path: '/rows', from: 3, to: 4 }),
      call('read_result', { id: 'nothing' }, 'r2'),
      call('read_result', { id: 'work', path: '/rows', grep: 'row 899' }, 'r3'),
      say('Done.'),
    ]);
    expect(await run()).toMatchObject({ outcome: 'done' });
    const results = requests.map(({ messages }) => messages.at(-1)?.content ?? '').slice(1);
    expect(JSON.parse(results[0] ?? '')).toMatchObject({
      nodes: [
        { shape: { keys: { rows: { type: 'array', length: 900, first: [{ n: 0 }, { n: 1 }, { n: 2 }] } } } },
      ],
    });
    expect(JSON.parse(results[1] ?? '')).toEqual({
      value: [
        { n: 2, name: 'row 2' },
        { n: 3, name: 'row 3' },
      ],
      from: 3,
      to: 4,
      total: 900,
      more: true,
    });
    expect(JSON.parse(results[2] ?? '')).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(JSON.parse(results[3] ?? '')).toMatchObject({ value: [{ n: 899 }], total: 1, more: false });
  });

  it('[STG-resume] goes on after an end between any two facts, and repeats no write', async () => {
    const replies = [submit(look), submit({ ...write, then: 'look' }, 'c2'), say('Both written.')];
    const whole = harness(replies);
    await whole.run({ approve: 'all' });
    const { runId } = whole.facts[0] as { runId: string };
    const asked = JSON.stringify(whole.requests.at(-1)?.messages);
    for (let end = 1; end < whole.facts.length; end += 1) {
      const facts: SessionFact[] = [
        ...whole.facts.slice(0, end),
        { type: 'run-interrupted', turn: 0, runId },
      ];
      const prior = runOf(facts);
      if (prior.writes.some(({ outcome }) => outcome === 'unknown')) continue;
      const done = prior.writes.filter(({ outcome }) => outcome === 'done').length;
      const { stages = [], said = [] } = prior;
      const planned = said.filter((one) => one.role === 'assistant' && one.stage <= stages.length).length;
      const artifacts = createMemoryArtifacts();
      const again = harness(replies.slice(planned), { artifacts, texts: createMemoryTexts() });
      const report = await again.run({ approve: 'all', given: { prior } });
      const where = `${end} ${typesOf(facts).at(-2) ?? ''}`;
      expect([where, report.outcome, report.answer]).toEqual([where, 'done', 'Both written.']);
      expect([where, again.calls('put').length]).toEqual([where, 2 - done]);
      expect(JSON.stringify(again.requests.at(-1)?.messages)).toBe(asked);
      const state = runOf([...facts, ...again.facts]);
      expect(state.nodes.map(({ id, status }) => [id, status])).toEqual([
        ['work', 'done'],
        ['approve_work2', 'done'],
        ['work2', 'done'],
      ]);
    }
  });
});
