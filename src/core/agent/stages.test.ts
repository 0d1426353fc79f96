import { restorePlanning } from './restore-planning';
import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { ModelEvent } from '../ports/llm';
import { createAgentHarness, type AgentHarnessOptions } from '../../testing/agent-harness';
import { planOf, scriptNode, typesOf } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { createMemoryArtifacts } from '../../testing/in-process-sandbox';
import { createMemoryTexts } from '../../testing/memory-texts';
import { continueLine } from '#shared/session-state';
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

  it('[STG-look] ends with the text of the model, and is done only if everything was', async () => {
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

  it('[STG-look] passes a failed stage to the model, which continues from it', async () => {
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

  it('[STG-ids] refuses an id that an earlier stage used, and a reserved one', async () => {
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

  it('[STG-answer] shows the results when the model cannot write the answer', async () => {
    const failing = [
      { type: 'error' as const, error: appError('LLM', 'UNAVAILABLE', 'The server is down.') },
    ];
    const { run } = harness([submit({ ...look, then: undefined, answer: { llm: true } }), failing]);
    const report = await run();
    expect(report).toMatchObject({ outcome: 'done' });
    expect(report.error).toBeUndefined();
    expect(report.answer).toContain('The server is down.');
    expect(report.answer).toMatch(/a[\s\S]*b/);
  });

  it('[STG-answer] names the finished steps of earlier stages when a later one fails', async () => {
    const broken = submit({ code: "throw new Error('no such row');", answer: 'x' }, 'c2');
    const report = await harness([submit(look), broken]).run();
    expect(report.outcome).toBe('partial');
    expect(report.answer).toMatch(/^- `[^`]+` done: read$/m);
    expect(report.answer).toMatch(/^- `[^`]+` failed: /m);
    // An approval alone is no result.
    const put = { readOnly: false, call: () => err(appError('TOOL', 'FAILED', 'The box is shut.')) };
    const tools = createInMemoryTools({ 'mcp://box.put': put });
    const writing = submit({ code: "await tools.box.put({}); return { summary: '' };", then: 'look' });
    const failed = harness([writing, broken], { tools });
    expect(await failed.run({ approve: 'all' })).toMatchObject({ outcome: 'failed', stages: [{}, {}] });
    expect(runOf(failed.facts).nodes[0]).toMatchObject({ id: 'approve_work', status: 'done' });
  });

  it('[STG-answer] shows the results of all stages when the model cannot write the answer', async () => {
    const failing = [
      { type: 'error' as const, error: appError('LLM', 'UNAVAILABLE', 'The server is down.') },
    ];
    const count = "return { summary: 'counted', state: { total: inputs.work.rows.length } };";
    for (const more of [{ answer: { llm: true } }, { then: 'look' }]) {
      const { run } = harness([submit(look), submit({ code: count, ...more }, 'c2'), failing]);
      const { answer } = await run();
      expect(answer).toContain('- **Total**: 2');
      expect(answer).toContain('- **Rows**: a, b');
    }
  });

  it('[STG-limit] offers no further plan once all stages are used', async () => {
    const stages = [1, 2].map((n) => submit({ code: "return { summary: 's' };", then: 'look' }, `c${n}`));
    const { run, requests } = harness([...stages, say('That is all.')], { budgets: { run: { stages: 2 } } });
    expect(await run()).toMatchObject({ outcome: 'done', answer: 'That is all.', stages: [{}, {}] });
    const names = requests.map(({ tools = [] }) => tools.some(({ name }) => name === 'submit_plan'));
    expect(names).toEqual([true, true, false]);
  });

  it('[STG-limit] tells the user how to go on when the model plans once more where it could only answer', async () => {
    const again = submit({ code: "return { summary: 'x' };", answer: 'x' }, 'c2');
    const { run } = harness([submit(look), again, again], { budgets: { run: { stages: 1 } } });
    const report = await run();
    expect(report).toMatchObject({ outcome: 'partial', ranOut: 'stages', error: { code: 'INVALID_REPLY' } });
    expect(report.error?.hint).toBe('Send a new line to continue from the results so far.');
  });

  it('[STG-continue] says which limit was reached, and the next run reads the results with a new budget', async () => {
    const artifacts = createMemoryArtifacts();
    const first = harness([submit(look), say('Not all yet.')], {
      budgets: { run: { stages: 1 } },
      artifacts,
    });
    const report = await first.run();
    expect(report).toMatchObject({ outcome: 'done', answer: 'Not all yet.', ranOut: 'stages' });
    const earlier = runOf(first.facts);
    expect(earlier.ranOut).toBe('stages');
    const code = "return { summary: 'n', state: { n: inputs.previous.work.rows.length } };";
    const next = harness([submit({ code, answer: 'There are {{work.n}}.' })], { artifacts });
    const conversation = [{ line: 'Count the rows', answer: report.answer, run: earlier }];
    const continued = await next.run({ goal: continueLine, conversation });
    expect(continued).toMatchObject({ outcome: 'done', answer: 'There are 2.' });
    expect(continued.ranOut).toBeUndefined();
    expect(next.calls('get')).toHaveLength(0);
    const whole = harness([submit(look), say('All.')]);
    expect((await whole.run()).ranOut).toBeUndefined();
  });

  it('[STG-continue] says that the tokens ran out between two stages', async () => {
    const expensive = submit(look).map((event) =>
      event.type === 'end' ? { ...event, inputTokens: 2_990 } : event,
    );
    const { run } = harness([expensive, say('x')], { budgets: { run: { tokens: 3_000 } } });
    expect(await run()).toMatchObject({
      outcome: 'partial',
      ranOut: 'tokens',
      error: { code: 'TOKEN_LIMIT' },
      nodes: [{ id: 'work', status: 'done' }],
    });
  });

  it('[STG-cancelled] lists the writes that it made when it is cancelled', async () => {
    const { run, stop, record } = harness([
      submit(look),
      submit({ ...write, then: 'look' }, 'c2'),
      submit({ code: "await tools.box.get({}); return { summary: '' };", answer: 'x' }, 'c3'),
    ]);
    const report = await run({ approve: 'all' }, (facts) => {
      const recorded = record(facts);
      if (facts.some((fact) => fact.type === 'plan-made' && fact.stage === 3)) stop.abort();
      return recorded;
    });
    expect(report.outcome).toBe('cancelled');
    expect(report.ranOut).toBeUndefined();
    expect(report.answer).toContain('- made: box.put');
    expect(report.writes).toMatchObject([{ outcome: 'made' }, { outcome: 'made' }]);
  });

  it('[STG-reads] counts the parts of results that the model had read before a resume', async () => {
    const reads = Array.from({ length: 6 }, (_, n) => call('read_result', { id: 'work' }, `r${n}`));
    const whole = harness([submit(look), ...reads, say('Read.')]);
    await whole.run();
    const { runId } = whole.facts[0] as { runId: string };
    const asked = whole.facts.findLastIndex(({ type }) => type === 'planning-answered') + 1;
    const facts: SessionFact[] = [
      ...whole.facts.slice(0, asked),
      { type: 'run-interrupted', turn: 0, runId },
    ];
    const again = harness([...reads.slice(0, 3), say('Read.')]);
    await again.run({ provided: { prior: runOf(facts) } });
    const answers = again.requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(answers).toHaveLength(10);
    expect(answers.map(({ content }) => content.startsWith('Only 8 parts'))).toEqual([
      ...Array.from({ length: 9 }, () => false),
      true,
    ]);
  });

  it('[STG-observation] shows shapes of states that are too long, and the model reads parts of them', async () => {
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

  it('[QUE-stage] adds a line typed during a stage to its observation, and a restart shows the same', async () => {
    const replies = [submit(look), say('Fine, only a.')];
    const { run, requests, facts } = harness(replies);
    const line = { lineId: 'line_1', text: 'Only row a, please.' };
    const queued: SessionFact = {
      ...{ type: 'line-queued' as const, ...line, runMode: 'agent', model: { providerId: 'p', model: 'm' } },
      ...{ items: [], when: 'stage' },
    };
    const steeringLines = () => (facts.some(({ type }) => type === 'line-steered') ? [] : [line]);
    expect(await run({ steeringLines })).toMatchObject({ outcome: 'done', answer: 'Fine, only a.' });
    expect(JSON.parse(requests[1]?.messages.at(-1)?.content ?? '')).toMatchObject({ said: [line.text] });
    const { runId } = facts[0] as { runId: string };
    expect(facts).toContainEqual({ type: 'line-steered', lineId: 'line_1', turn: 0, runId, stage: 1 });
    const steered = facts.findIndex(({ type }) => type === 'line-steered');
    const stored = [
      queued,
      ...facts.slice(0, steered + 1),
      { type: 'run-interrupted' as const, turn: 0, runId },
    ];
    const prior = runOf(stored);
    expect(prior.steered).toEqual([{ lineId: 'line_1', stage: 1, text: line.text }]);
    const again = harness(replies.slice(1));
    await again.run({ provided: { prior } });
    expect(again.requests[0]?.messages.at(-1)).toEqual(requests[1]?.messages.at(-1));
  });

  it('[QUE-stage] leaves a line for the next turn when no stage looks at its results', async () => {
    const { run, facts } = harness([submit({ ...look, then: undefined, answer: 'Read {{work.rows}}.' })]);
    await run({ steeringLines: () => [{ lineId: 'line_1', text: 'And b?' }] });
    expect(typesOf(facts)).not.toContain('line-steered');
  });

  it('[QUE-now] starts no ready step while a cancelled stage waits for a write in progress', async () => {
    let finishRead = (): void => undefined;
    const reading = new Promise<void>((resolve) => (finishRead = resolve));
    const tools = createInMemoryTools({
      'mcp://box.get': { call: () => reading.then(() => ok({})) },
      'mcp://box.put': {
        readOnly: false,
        call: async () => {
          const readEnded = made.seen('node-ended');
          expect(made.agent.cancelStage((made.facts[0] as { runId: string }).runId, true)).toBe(true);
          finishRead();
          expect(await readEnded).toMatchObject({ nodeId: 'read', status: 'done' });
          return ok('put');
        },
      },
    });
    const nodes = [
      scriptNode('write', "await tools.box.put({}); return { summary: 'put' };"),
      scriptNode('read', "await tools.box.get({}); return { summary: 'read' };"),
      scriptNode('later', "return { summary: 'later' };", { deps: ['read'] }),
    ];
    const made = harness([submit(planOf(nodes, 'Done.')), say('Stopped.')], { tools });
    const lines = [{ lineId: 'line_1', text: 'Stop there.' }];
    await made.run({ approve: 'all', steeringLines: () => lines.splice(0) });
    const started = made.facts.flatMap((fact) => (fact.type === 'node-started' ? [fact.nodeId] : []));
    expect(started).not.toContain('later');
    expect(JSON.parse(made.requests[1]?.messages.at(-1)?.content ?? '')).toMatchObject({
      writes: [{ outcome: 'made' }],
      said: ['Stop there.'],
    });
  });

  it.each([
    ['a given plan', true, false],
    ['a plan of a model, for a line that the model cannot read there', false, true],
  ])('[QUE-now] ends the run of %s after the write in progress', async (_, steers, planned) => {
    const code =
      "for (const row of ['a', 'b']) await tools.box.put({ row }); return { summary: 'both', state: {} };";
    const tools = createInMemoryTools({
      'mcp://box.put': {
        readOnly: false,
        call: async () => {
          expect(made.agent.cancelStage((made.facts[0] as { runId: string }).runId, steers)).toBe(true);
          await Promise.resolve();
          return ok('put');
        },
      },
    });
    const plan = planOf([scriptNode('work', code, { tools: ['mcp://box.put'] })], 'Wrote both.');
    const made = harness(planned ? [submit({ code, answer: 'Wrote both.' })] : [], { tools });
    const given = planned ? {} : { provided: { plan } };
    expect(await made.run({ approve: 'all', ...given })).toMatchObject({
      outcome: 'cancelled',
      error: { code: 'CANCELLED', message: 'The run was stopped for your message.' },
      writes: [{ outcome: 'made' }],
    });
    expect(tools.calls).toHaveLength(1);
    expect(made.requests).toHaveLength(planned ? 1 : 0);
  });

  it.each([true, false])(
    '[QUE-now] shows the results of a run whose answer a line interrupts, which ends as done (steers: %s)',
    async (steers) => {
      let interrupted = false;
      const hanging = {
        [Symbol.asyncIterator]: () => ({
          next: () => {
            const { runId } = made.facts[0] as { runId: string };
            interrupted = made.agent.cancelStage(runId, steers);
            return new Promise<IteratorResult<ModelEvent>>(() => undefined);
          },
        }),
      };
      const counted = { code: "return { summary: 'counted', state: { n: 7 } };", answer: { llm: true } };
      const made = harness([submit(counted), hanging]);
      const report = await made.run({ steeringLines: () => [{ lineId: 'line_1', text: 'In German.' }] });
      expect(interrupted).toBe(true);
      expect(report).toMatchObject({ outcome: 'done', nodes: [{ id: 'work', status: 'done' }] });
      expect(report.error).toBeUndefined();
      expect(report.answer).toBe(
        'The answer was not written, because you sent a message first.\n\nThese are the results:\n\n- **N**: 7',
      );
      expect(typesOf(made.facts)).not.toContain('line-steered');
      expect(made.requests).toHaveLength(2);
    },
  );

  it('[QUE-now] cancels the stage for a line, waits for the write in progress, and continues from the results', async () => {
    let finishPut = (): void => undefined;
    let cancelStage = (): boolean => false;
    const putting = new Promise<void>((resolve) => (finishPut = resolve));
    const tools = createInMemoryTools({
      'mcp://box.put': {
        readOnly: false,
        call: async ({ row }) => {
          expect(cancelStage()).toBe(true);
          finishPut();
          await Promise.resolve();
          return ok(`put ${JSON.stringify(row)}`);
        },
      },
    });
    const code = "for (const row of ['a', 'b']) await tools.box.put({ row }); return { summary: 'both' };";
    const made = harness([submit({ code, answer: 'Wrote both.' }), say('Stopped after a.')], { tools });
    cancelStage = () => made.agent.cancelStage((made.facts[0] as { runId: string }).runId, true);
    const lines = [{ lineId: 'line_1', text: 'Not b.' }];
    const report = await made.run({ approve: 'all', steeringLines: () => lines.splice(0) });
    await putting;
    expect(report).toMatchObject({
      answer: expect.stringContaining('Stopped after a.') as string,
      writes: [{ outcome: 'made' }],
    });
    expect(tools.calls).toHaveLength(1);
    expect(JSON.parse(made.requests[1]?.messages.at(-1)?.content ?? '')).toMatchObject({
      nodes: [{ id: 'work', status: 'cancelled' }],
      writes: [{ outcome: 'made' }],
      said: ['Not b.'],
    });
    // A resumed run does not run the cancelled step again.
    const { runId } = made.facts[0] as { runId: string };
    const steered = made.facts.findIndex(({ type }) => type === 'line-steered');
    const model = { providerId: 'p', model: 'm' };
    const queued: SessionFact = {
      ...{ type: 'line-queued', lineId: 'line_1', text: 'Not b.', runMode: 'agent', model },
      ...{ items: [], when: 'now' },
    };
    const ended: SessionFact = { type: 'run-interrupted', turn: 0, runId };
    const prior = runOf([queued, ...made.facts.slice(0, steered + 1), ended]);
    const again = harness([say('Stopped after a.')]);
    expect(await again.run({ approve: 'all', provided: { prior } })).toMatchObject({
      writes: [{ outcome: 'made' }],
    });
    expect(again.calls('put')).toHaveLength(0);
    expect(again.requests[0]?.messages.at(-1)?.content).toContain('Not b.');
  });

  it('[STG-resume] resumes after an end between any two facts, and repeats no write', async () => {
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
      const report = await again.run({ approve: 'all', provided: { prior } });
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
      // A second end, after which the same conversation is restored: the replies that were asked for again
      // stand in it once.
      const conversation = again.requests.at(-1)?.messages.slice(2) ?? [];
      for (let second = 1; second <= again.facts.length; second += 1) {
        const { messages } = restorePlanning(runOf([...facts, ...again.facts.slice(0, second)]));
        expect([where, second, ...messages]).toEqual([
          where,
          second,
          ...[...conversation, ...messages.slice(conversation.length)].slice(0, messages.length),
        ]);
        expect(messages.length).toBeLessThanOrEqual(conversation.length + 1);
      }
    }
  });
});
