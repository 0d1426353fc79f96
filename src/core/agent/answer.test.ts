import { describe, expect, it } from 'vitest';
import { appError, type AppError } from '#shared/app-error';
import type { LedgerEntry } from '#shared/ledger';
import { offlineProviderId } from '#shared/model';
import { err, ok } from '#shared/result';
import { defaultBudgets } from '../../testing/agent-harness';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { createManualClock } from '../../testing/manual-clock';
import { createMemoryTexts } from '../../testing/memory-texts';
import type { ModelClient, ModelRequest } from '../ports/llm';
import { createTokenEstimate } from '../tools/model-usage';
import { answerRun, type Ending } from './answer';
import type { NodeOutcome, RunContext } from './node-run';
import { createRunMeter } from './run-meter';

const done = (
  id: string,
  state: NodeOutcome['state'] = {},
  more: Partial<NodeOutcome> = {},
): NodeOutcome => ({
  id,
  status: 'done',
  summary: `${id} is done.\nIn full.`,
  state,
  cached: false,
  ...more,
});
const broken = appError('TOOL', 'FAILED', 'The box is shut.');
const unknown: AppError = { ...broken, outcome: 'unknown' };
const failed = (id: string, error = broken): NodeOutcome => ({
  ...done(id, undefined, { summary: 'The box is shut.', error }),
  status: 'failed',
});
const write = (outcome: LedgerEntry['outcome'], more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  callId: 'c',
  nodeId: 'a',
  tool: 'mcp://box.put',
  target: 'x',
  outcome,
  undo: 'impossible',
  ...more,
});

interface Setting {
  readonly ledger?: readonly LedgerEntry[];
  /** Why the run was stopped. */
  readonly stop?: AppError;
  /** What the model says, or why it does not. */
  readonly says?: string | AppError;
  readonly request?: object;
  readonly tokens?: number;
  readonly texts?: RunContext['nodeReplies'];
}

/** Answers the run of a plan with these steps; the ending has what a test sets. */
async function answerOf(
  answer: unknown,
  ends: readonly NodeOutcome[],
  more: Partial<Ending> = {},
  set: Setting = {},
) {
  const requests: ModelRequest[] = [];
  const { says = 'The model’s words.' } = set;
  const models = {
    async *stream(request: ModelRequest) {
      requests.push(request);
      if (typeof says !== 'string') yield await Promise.resolve({ type: 'error', error: says });
      else
        yield* [
          { type: 'text', text: says },
          { type: 'end', inputTokens: 1, outputTokens: 1 },
        ];
    },
  } as unknown as ModelClient;
  const meter = createRunMeter({
    estimate: createTokenEstimate(),
    clock: createManualClock().clock,
    onCall: () => undefined,
  });
  meter.limit({ ...defaultBudgets.run, tokens: set.tokens ?? 10_000 });
  const run = {
    request: {
      goal: 'The goal',
      model: { providerId: 'p', model: 'm' },
      prompt: (_part: string, { blocks }: { blocks: readonly { text: string }[] }) =>
        ok({ role: 'system', content: blocks.map(({ text }) => text).join('\n') }),
      ...set.request,
    },
    life: { reason: () => set.stop ?? null, signal: new AbortController().signal },
    ledger: { entries: () => set.ledger ?? [] },
    artifacts: { get: () => err(appError('HOST', 'NOT_FOUND', 'The stored value is gone.')) },
    nodeReplies: set.texts ?? createMemoryTexts(),
    budgets: defaultBudgets,
    countTokens: (text: string) => Promise.resolve(Math.ceil(text.length / 4)),
    models,
    meter,
  } as unknown as RunContext;
  const nodes = [
    ...ends.map(({ id }) => scriptNode(id, 'return {};', { title: `Do ${id}` })),
    ...(more.plan ? [] : [{ id: 'ask', title: 'Ask', kind: 'approval', prompt: 'p' }]),
  ];
  const ending: Ending = { plan: planOf(nodes, answer), source: 'model', ends, ...more };
  return { ...(await answerRun(run, ending)), requests };
}

describe('a run whose steps are all done', () => {
  it('has the answer of its template, from the results of all stages', async () => {
    expect(
      await answerOf('{{a.n}} and {{b.n}}', [done('b', { n: 2 })], { earlier: [done('a', { n: 1 })] }),
    ).toEqual({
      outcome: 'done',
      answer: '1 and 2',
      requests: [],
    });
  });

  it.each([
    [[write('made')], 'done', 'All is written.'],
    [[write('refused', { superseded: true })], 'done', 'All is written.'],
    [[write('refused')], 'partial', 'Some writes were not made. 1 write: 1 refused.\n\n- refused: box.put x'],
  ])('does not claim in mere words what was not written: %#', async (ledger, outcome, answer) => {
    expect(await answerOf('All is written.', [done('a')], {}, { ledger })).toMatchObject({ outcome, answer });
  });

  it('lists the writes after an answer that refers to results, if one was not made', async () => {
    const ledger = [write('made'), write('failed', { target: 'y' })];
    const answer =
      '1\n\nSome writes were not made. 2 writes: 1 made, 1 failed.\n\n- made: box.put x\n- failed: box.put y';
    expect(await answerOf('{{a.n}}', [done('a', { n: 1 })], {}, { ledger })).toMatchObject({
      outcome: 'partial',
      answer,
      writesFrom: 3,
    });
  });

  it('is partial when items of a step have no answer, and says how many', async () => {
    const items = [
      done('a', { n: 1 }, { items: { of: 3, failed: 1 } }),
      done('b', {}, { items: { of: 9, failed: 2 } }),
    ];
    expect(await answerOf('{{a.n}}', items)).toMatchObject({
      outcome: 'partial',
      answer: '1\n\n1 of 3 items of `a` has no answer.\n2 of 9 items of `b` have no answer.',
    });
    expect(await answerOf('', [done('a', {}, { items: { of: 3, failed: 1 } })])).toMatchObject({
      answer: '1 of 3 items of `a` has no answer.',
    });
    const complete = [done('a', { n: 1 }, { items: { of: 3, failed: 0 } })];
    expect(await answerOf('{{a.n}}', complete)).toMatchObject({ outcome: 'done', answer: '1' });
  });

  it('shows the results when its template has nothing but an empty one', async () => {
    expect(await answerOf('{{a.rows}}', [done('a', { rows: [] })])).toMatchObject({
      outcome: 'done',
      answer: '- **Rows**: none',
    });
  });

  it('is cancelled when the user stops it', async () => {
    const stop = appError('HOST', 'CANCELLED', 'Stopped.');
    expect(await answerOf('x', [done('a')], {}, { stop })).toMatchObject({
      outcome: 'cancelled',
      answer: 'Cancelled.',
      error: stop,
    });
  });
});

describe('an answer that a model writes', () => {
  const asked = { llm: true, prompt: 'In one line.' };

  it('is its words about the results, the constraints and the writes', async () => {
    const plan = { ...planOf([scriptNode('a', 'return {};')], asked), constraints: ['Be quick', 'Be kind'] };
    const { requests, ...end } = await answerOf(
      asked,
      [done('a', { n: 1 })],
      { plan },
      { ledger: [write('made')] },
    );
    expect(end).toEqual({ outcome: 'done', answer: 'The model’s words.' });
    const [{ messages } = { messages: [] }] = requests;
    expect(messages[1]?.content).toBe(
      [
        'Goal: The goal',
        'How to answer: In one line.',
        'Constraints: Be quick; Be kind',
        'Writes, as the host recorded them:\n- made: box.put x',
        'Results:\n[{"step":"a","summary":"a is done.\\nIn full.","result":{"n":1}}]',
      ].join('\n\n'),
    );
    expect(messages[0]?.content).toContain('call nothing done that is not listed as made');
  });

  it('has nothing to say of writes, constraints or how to answer where there are none', async () => {
    const { requests } = await answerOf({ llm: true }, [done('a')], {}, { request: { goal: '' } });
    const [{ messages } = { messages: [] }] = requests;
    expect(messages[1]?.content).toBe(
      'Goal: Do it\n\nResults:\n[{"step":"a","summary":"a is done.\\nIn full.","result":{}}]',
    );
    expect(messages[0]?.content).not.toContain('recorded the writes');
  });

  it('is written once for the same model, words and results', async () => {
    const texts = createMemoryTexts();
    const again = (more: Setting = {}, state = { n: 1 }) =>
      answerOf(asked, [done('a', state)], {}, { texts, ...more });
    await again();
    expect(await again()).toMatchObject({ answer: 'The model’s words.', answerCached: true, requests: [] });
    for (const other of [
      again({ request: { fresh: true } }),
      again({ request: { model: { providerId: 'q', model: 'm' } } }),
      again({ request: { model: { providerId: 'p', model: 'n' } } }),
      again({ request: { effort: 'high' } }),
      again({ request: { words: () => 'other' } }),
      again({}, { n: 2 }),
    ])
      expect((await other).requests).toHaveLength(1);
  });

  it('that is empty is asked for again in the next run', async () => {
    const texts = createMemoryTexts();
    expect(await answerOf(asked, [done('a')], {}, { texts, says: ' \n' })).toMatchObject({ answer: '' });
    expect((await answerOf(asked, [done('a')], {}, { texts })).requests).toHaveLength(1);
  });

  it('that fails leaves the results, with the reason', async () => {
    const says = appError('LLM', 'UNAVAILABLE', 'The model is away.', { hint: 'Try later.' });
    const ledger = [write('refused')];
    expect(await answerOf(asked, [done('a', { n: 1 })], {}, { says })).toMatchObject({
      outcome: 'done',
      answer:
        'The answer could not be written: The model is away. Try later.\n\nThese are the results:\n\n- **N**: 1',
    });
    expect(await answerOf(asked, [done('a', { n: 1 })], {}, { says, ledger })).toMatchObject({
      outcome: 'partial',
    });
  });

  it('that does not fit the tokens of the run makes it partial', async () => {
    const end = await answerOf(asked, [done('a', { text: 'x'.repeat(400) })], {}, { tokens: 50 });
    expect(end).toMatchObject({
      outcome: 'partial',
      answer: 'The steps ran, but the answer could not be written.\n\n- `Do a` done: a is done.',
      error: { code: 'TOKEN_LIMIT', hint: expect.stringContaining('run.tokens') as string },
      ranOut: 'tokens',
    });
    expect(end.error?.message).toMatch(
      /^Results for the answer is about \d+ tokens, and the run has left 50\.$/,
    );
  });
});

describe('a template with a result that is missing', () => {
  const missing = 'The answer refers to {{a.m}}, but the result has no "m".';

  it.each([
    ['model', {}, 'The model’s words.', 1],
    ['earlier', {}, 'The model’s words.', 1],
    ['recipe', {}, `${missing} These are the results:\n\n- **N**: 1`, 0],
    ['model', { says: '' }, `${missing} These are the results:\n\n- **N**: 1`, 1],
    ['model', { says: broken }, `${missing} These are the results:\n\n- **N**: 1`, 1],
    [
      'model',
      { request: { model: { providerId: offlineProviderId, model: 'offline' } } },
      `${missing} These are the results:\n\n- **N**: 1`,
      0,
    ],
  ] as const)('of a plan from a %s: %#', async (source, set, answer, calls) => {
    const end = await answerOf('Found {{a.m}}', [done('a', { n: 1 })], { source }, set);
    expect(end).toMatchObject({ outcome: 'done', answer });
    expect(end.requests).toHaveLength(calls);
    if (calls > 0)
      expect(end.requests[0]?.messages[1]?.content).toContain(
        'How to answer: Say what this template was to say, from the results: Found {{a.m}}',
      );
  });

  it('shows each step by its id, without approvals, and its summary where it has no results', async () => {
    const ends = [done('a', { n: 1 }), done('b'), done('ask', { approved: true })];
    const end = await answerOf('{{a.m}}', ends.slice(0, 2), { source: 'recipe', earlier: ends.slice(2) });
    expect(end.answer).toBe(
      `${missing} These are the results:\n\n\`a\`\n\n- **N**: 1\n\n\`b\`\n\nb is done.\nIn full.`,
    );
  });

  it('cuts a result that nobody reads in full', async () => {
    const long = await answerOf('{{a.m}}', [done('a', { n: 'x'.repeat(20_000) })], { source: 'recipe' });
    expect(long.answer).toContain('9 more characters');
  });
});

describe('a run with steps that are not done', () => {
  it('is partial when a step is done, with each step and the first error', async () => {
    const ends = [
      done('a', { n: 1 }),
      failed('b'),
      { ...done('c'), status: 'skipped' as const, summary: '"b" did not finish.' },
    ];
    expect(await answerOf('Nothing to see.', ends)).toMatchObject({
      outcome: 'partial',
      answer:
        'Not everything could be done.\n\n- `Do a` done: a is done.\n- `Do b` failed: The box is shut.\n- `Do c` skipped: "b" did not finish.',
      error: broken,
    });
  });

  it('begins with its template when the finished steps suffice for it', async () => {
    const ends = [done('a', { n: 1 }), failed('b')];
    expect((await answerOf('n is {{a.n}}', ends)).answer).toMatch(
      /^n is 1\n\nNot everything could be done\./,
    );
    expect((await answerOf('n is {{b.n}}', ends)).answer).toMatch(/^Not everything could be done\./);
    expect((await answerOf({ llm: true }, ends)).answer).toMatch(/^Not everything could be done\./);
  });

  it.each([
    ['failed', [failed('a')], []],
    ['failed', [failed('a'), done('ask')], []],
    ['failed', [failed('a')], [write('refused')]],
    ['partial', [failed('a')], [write('made')]],
    ['partial', [failed('a'), done('b')], []],
  ] as const)('is %s: %#', async (outcome, ends, ledger) => {
    const plan = planOf([
      ...['a', 'b'].map((id) => scriptNode(id, 'return {};')),
      { id: 'ask', title: 'Ask', kind: 'approval', prompt: 'p' },
    ]);
    expect((await answerOf('x', ends, { plan }, { ledger })).outcome).toBe(outcome);
  });

  it('names a write whose outcome is unknown, and steps of earlier stages, as inert text', async () => {
    const earlierPlans = [planOf([scriptNode('z', 'return {};', { title: 'Look `up`\nall' })])];
    const end = await answerOf('x', [failed('a', unknown)], {
      earlier: [done('z'), done('gone')],
      earlierPlans,
    });
    expect(end.answer).toBe(
      'Not everything could be done.\n\n- `Look up all` done: z is done.\n- `gone` done: gone is done.\n- `Do a` stopped at a write with an unknown outcome',
    );
  });

  it('has the reason why the run was stopped as its error', async () => {
    const stop = appError('BUDGET', 'WALL_CLOCK', 'Time is up.');
    expect(await answerOf('x', [done('a')], {}, { stop })).toMatchObject({
      outcome: 'partial',
      error: stop,
      ranOut: 'time',
    });
    expect(await answerOf('x', [failed('a')], {}, { stop })).toMatchObject({
      outcome: 'failed',
      error: stop,
      ranOut: 'time',
    });
    const offline = { model: { providerId: offlineProviderId, model: 'offline' } };
    expect(await answerOf('x', [done('a')], {}, { stop, request: offline })).not.toHaveProperty('ranOut');
  });
});

describe('a run that a model ends', () => {
  it.each([
    ['All done.', [done('a')], [], { outcome: 'done', answer: 'All done.' }],
    ['Which one?', [done('a')], [], { outcome: 'done', asks: true }],
    ['It failed.', [failed('a'), done('b')], [], { outcome: 'partial', error: broken }],
    ['It failed.', [failed('a')], [], { outcome: 'failed', error: broken }],
    ['It failed.', [failed('a')], [write('made')], { outcome: 'partial', error: broken }],
    ['Done.', [done('a')], [write('refused')], { outcome: 'partial', writesFrom: 7 }],
  ] as const)('in words: %s %#', async (text, ends, ledger, end) => {
    const answered = await answerOf('x', ends, { text }, { ledger });
    expect(answered).toMatchObject(end);
    if (!('asks' in end)) expect(answered).not.toHaveProperty('asks');
    if (end.outcome === 'done') expect(answered).not.toHaveProperty('error');
  });

  it('by not going on has the results so far', async () => {
    const error = appError('LLM', 'INVALID_REPLY', 'No plan.');
    const head = 'The work stopped before it was finished. These are the results so far:';
    expect(await answerOf('x', [done('a', { n: 1 })], { look: true, error })).toMatchObject({
      outcome: 'partial',
      answer: `${head}\n\n- **N**: 1`,
      error,
    });
    expect(await answerOf('x', [failed('a')], { look: true })).toMatchObject({
      outcome: 'partial',
      error: broken,
    });
    expect(await answerOf('x', [failed('a')], { error })).toMatchObject({ outcome: 'failed', error });
    expect(await answerOf('x', [], { look: true })).toMatchObject({ answer: head });
  });

  it('because its stages are used up can go on in a new line', async () => {
    const out = { text: 'So far.', outOfStages: true };
    expect(await answerOf('x', [done('a')], out)).toMatchObject({ outcome: 'done', ranOut: 'stages' });
  });
});
