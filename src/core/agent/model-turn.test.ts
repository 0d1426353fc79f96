import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { noUsage, offlineProviderId } from '#shared/model';
import { ok } from '#shared/result';
import { defaultBudgets } from '../../testing/agent-harness';
import { createManualClock } from '../../testing/manual-clock';
import type { ModelClient, ModelEvent, ModelRequest } from '../ports/llm';
import { createTokenEstimate } from '../tools/model-usage';
import { modelTurn } from './model-turn';
import { createRunMeter } from './run-meter';

it('[AGENT-thinking] a reply says how long the model thought, before its words and between them', async () => {
  const { clock, advance } = createManualClock();
  const thinking = (text: string) => ({ type: 'thinking' as const, text });
  const parts = [thinking('One.'), { type: 'text' as const, text: 'A' }, thinking('Two.')];
  const steps: readonly (ModelEvent | number)[] = [
    ...[2_000, thinking('One.'), 3_000, { type: 'text' as const, text: 'A' }],
    ...[9_000, thinking('Two.'), 1_000],
    { type: 'end', inputTokens: 1, outputTokens: 1, parts },
  ];
  async function* stream(): AsyncGenerator<ModelEvent> {
    for (const step of steps) {
      if (typeof step !== 'number') yield step;
      else advance(step);
      await Promise.resolve();
    }
  }
  const models = { stream } as unknown as ModelClient;
  const meter = createRunMeter({ estimate: createTokenEstimate(), clock, onCall: () => undefined });
  const request = { model: { providerId: 'p', model: 'm' }, messages: [] };
  const { reply } = await modelTurn(models, request, meter, new AbortController().signal, { part: 'plan' });
  expect(reply).toMatchObject({
    ok: true,
    value: { parts: [{ ...parts[0], ms: 4_000 }, parts[1], parts[2]] },
  });
});

it.each([
  ['plan', 'Ask for less at once, or choose a model with longer replies.'],
  ['repair', 'Ask for less at once, or choose a model with longer replies.'],
  ['node', 'Ask for less in one step, or choose a model with longer replies.'],
  ['answer', 'Ask for a shorter answer, or choose a model with longer replies.'],
] as const)('a cut reply of the part %s is never to be continued', async (part, hint) => {
  const error = { kind: 'LLM', code: 'CONTEXT_LIMIT', message: 'Cut.', hint: 'Ask it to continue.' } as const;
  async function* stream(): AsyncGenerator<ModelEvent> {
    yield await Promise.resolve({ type: 'error', error: { ...error, retryable: false }, cut: true } as const);
  }
  const models = { stream } as unknown as ModelClient;
  const { clock } = createManualClock();
  const meter = createRunMeter({ estimate: createTokenEstimate(), clock, onCall: () => undefined });
  const request = { model: { providerId: 'p', model: 'm' }, messages: [] };
  const { reply } = await modelTurn(models, request, meter, new AbortController().signal, { part });
  expect(reply).toMatchObject({ ok: false, error: { code: 'CONTEXT_LIMIT', message: 'Cut.', hint } });
});

type Call = Partial<Parameters<typeof modelTurn>[4]> & {
  readonly request?: Partial<ModelRequest>;
  readonly signal?: AbortSignal;
  /** Called before each text comes. */
  readonly onText?: () => void;
};

/** One turn of a model that replies with these events; every character is a token, and the input has ten. */
async function turn(events: readonly ModelEvent[], tokens = Infinity, call: Call = {}) {
  const { request: more, signal = new AbortController().signal, onText, ...part } = call;
  const sent: ModelRequest[] = [];
  const ended: unknown[] = [];
  let taken = 0;
  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    sent.push(request);
    for (const event of events) {
      taken += 1;
      if (event.type === 'text') onText?.();
      yield await Promise.resolve(event);
    }
  }
  const models = { stream, setupProblem: () => null } as unknown as ModelClient;
  const now = (text: string) => text.length;
  const estimate = { now, exact: (text: string) => Promise.resolve(now(text)) };
  const meter = createRunMeter({
    estimate,
    clock: createManualClock().clock,
    onCall: (_call, { usage, failure }) => void ended.push({ ...usage, ...(failure && { failure }) }),
  });
  meter.limit({ ...defaultBudgets.run, tokens });
  const messages = [{ role: 'user' as const, content: '0123456789' }];
  const request = { model: { providerId: 'p', model: 'm' }, messages, ...more };
  const result = await modelTurn(models, request, meter, signal, {
    part: 'node',
    ...part,
  });
  return { ...result, sent, ended, taken, outOfTokens: meter.outOfTokens() };
}

const unavailable = appError('LLM', 'UNAVAILABLE', 'Too much.');
const words = (length: number): ModelEvent => ({ type: 'text', text: 'x'.repeat(length) });
const end = (inputTokens: number, outputTokens: number): ModelEvent => ({
  type: 'end',
  inputTokens,
  outputTokens,
});
const failed = (code: string) => ({ ok: false, error: { code } });

describe('[BUD-run-tokens] the output limit that a call sends', () => {
  it.each([
    ['what the input leaves of the run', 100, {}, 90],
    ['nothing when the rest is above what servers accept', 16_011, {}, undefined],
    ['the rest when it is just what servers accept', 16_010, {}, 16_000],
    ['nothing when the text is far below the rest', 100_000, {}, undefined],
    ['nothing when the run has no limit', Infinity, {}, undefined],
    ['the limit of the call when it is lower', 100, { limit: { tokens: 50, breach: () => unavailable } }, 40],
    ['the limit of the run when that is lower', 40, { limit: { tokens: 50, breach: () => unavailable } }, 30],
    ['the shorter length that the request asks for', 100, { request: { maxOutputTokens: 20 } }, 20],
    ['less than the request asks for', 100, { request: { maxOutputTokens: 91 } }, 90],
    ['what the request asks for without other limits', Infinity, { request: { maxOutputTokens: 20 } }, 20],
  ])('is %s', async (_what, tokens, call, limit) => {
    const { sent, reply } = await turn([end(10, 1)], tokens, call);
    expect(sent.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([limit]);
    expect(reply.ok).toBe(true);
  });

  it.each([
    ['the run has no token left', 0, {}],
    ['the input fills the rest of the run', 10, {}],
    ['the input fills the limit of the call', 100, { limit: { tokens: 10, breach: () => unavailable } }],
  ])('forbids the call when %s', async (_what, tokens, call) => {
    const { sent, reply, ended, usage } = await turn([end(1, 1)], tokens, call);
    expect(reply).toMatchObject(failed('limit' in call ? 'UNAVAILABLE' : 'TOKEN_LIMIT'));
    expect([sent, ended]).toEqual([[], []]);
    expect(usage).toEqual(noUsage);
  });

  it('names the tokens that the input of the call needs', async () => {
    expect((await turn([], 9)).reply).toMatchObject({
      error: { message: expect.stringContaining('needs about 10') as string },
    });
    const asked: unknown[] = [];
    const breach = (...all: unknown[]) => (asked.push(all), unavailable);
    await turn([], 100, { limit: { tokens: 9, breach } });
    await turn([end(30, 21)], 100, { limit: { tokens: 50, breach } });
    expect(asked).toEqual([
      [10, false],
      [51, true],
    ]);
  });
});

describe('a reply', () => {
  it('is its words and calls', async () => {
    const call = { id: 'c', name: 'n', argumentsJson: '{}' };
    const events: ModelEvent[] = [words(2), { type: 'tool-call', call }, words(1), end(3, 4)];
    expect(await turn(events)).toMatchObject({
      reply: ok({ text: 'xxx', calls: [call] }),
      usage: { modelTurns: 1, inputTokens: 3, outputTokens: 4 },
      ended: [{ inputTokens: 3, outputTokens: 4 }],
      outOfTokens: false,
    });
  });

  it('is refused when it ends early, and may be repeated', async () => {
    expect(await turn([words(2)])).toMatchObject({
      reply: { error: { kind: 'LLM', code: 'INVALID_REPLY', retryable: true } },
      ended: [{ failure: 'LLM/INVALID_REPLY', inputTokens: 10, outputTokens: 2 }],
    });
  });

  it('is refused when it is longer than any plan', async () => {
    expect((await turn([words(1_000_000), end(1, 1)])).reply.ok).toBe(true);
    expect((await turn([words(1_000_001), end(1, 1)])).reply).toMatchObject({
      error: { kind: 'LLM', code: 'INVALID_REPLY', message: 'The reply exceeded the size limit.' },
    });
  });

  it('is the error of its provider', async () => {
    const { reply, ended } = await turn([{ type: 'error', error: unavailable }]);
    expect(reply).toEqual({ ok: false, error: unavailable });
    expect(ended).toMatchObject([{ failure: 'LLM/UNAVAILABLE' }]);
  });

  it.each([
    ['words', words(1_000)],
    ['thoughts', { type: 'thinking', text: 'x'.repeat(1_000) } as const],
  ])('is stopped while it comes when its %s exceed the rest of the run', async (_what, event) => {
    const many = [event, event, event, end(10, 3_000)];
    expect(await turn(many, 2_010)).toMatchObject({
      taken: 3,
      reply: {
        error: { code: 'TOKEN_LIMIT', message: 'The run has used 3010 of its 2010 model tokens.' },
      },
      outOfTokens: true,
    });
    expect((await turn(many, 3_010)).reply.ok).toBe(true);
  });

  it('is refused when its provider counts more than the run or the call has', async () => {
    expect((await turn([end(10, 91)], 100)).reply).toMatchObject(failed('TOKEN_LIMIT'));
    expect((await turn([end(10, 90)], 100)).reply.ok).toBe(true);
    const limit = { tokens: 50, breach: () => unavailable };
    expect((await turn([end(10, 41)], 100, { limit })).reply).toMatchObject(failed('UNAVAILABLE'));
    expect((await turn([end(10, 40)], 100, { limit })).reply.ok).toBe(true);
  });

  const cut = (outputTokens?: number): ModelEvent => ({
    type: 'error',
    error: appError('LLM', 'CONTEXT_LIMIT', 'Cut.'),
    cut: true,
    ...(outputTokens !== undefined && { usage: { inputTokens: 10, outputTokens } }),
  });
  it.each([
    ['the run', 'at half of the limit sent', 100, cut(45), {}, 'TOKEN_LIMIT'],
    ['the model', 'below half of the limit sent', 100, cut(44), {}, 'CONTEXT_LIMIT'],
    ['the run', 'where nobody counted', 100, cut(), {}, 'TOKEN_LIMIT'],
    ['the model', 'without a limit', Infinity, cut(45), {}, 'CONTEXT_LIMIT'],
    [
      'the model',
      'at a length that the request asked for',
      100,
      cut(20),
      { request: { maxOutputTokens: 20 } },
      'CONTEXT_LIMIT',
    ],
  ])('is cut by %s %s', async (_who, _when, tokens, event, call, code) => {
    expect((await turn([event], tokens, call)).reply).toMatchObject(failed(code));
  });

  it('keeps its parts as they are when the model did not think, or took no time to', async () => {
    const said = [{ type: 'text' as const, text: 'x' }];
    const thought = [{ type: 'thinking' as const, text: 'Hm.' }, ...said];
    for (const parts of [said, thought, []])
      expect((await turn([words(1), { type: 'end', inputTokens: 1, outputTokens: 1, parts }])).reply).toEqual(
        ok({ text: 'x', calls: [], parts }),
      );
    expect((await turn([words(1), end(1, 1)])).reply).toEqual(ok({ text: 'x', calls: [] }));
  });

  it('that is stopped is counted at once, and only once', async () => {
    const stop = new AbortController();
    const stopped = await turn([words(4), end(1, 1)], 100, {
      signal: stop.signal,
      onText: () => stop.abort(),
    });
    expect(stopped.ended).toEqual([
      { modelTurns: 1, inputTokens: 10, outputTokens: 0, estimated: true, failure: 'HOST/CANCELLED' },
    ]);
    const before = await turn([end(1, 1)], 100, { signal: stop.signal });
    expect(before).toMatchObject({ reply: failed('CANCELLED'), sent: [], ended: [] });
  });

  it('tells what it thinks as it comes', async () => {
    const thoughts: string[] = [];
    const events: ModelEvent[] = [{ type: 'thinking', text: 'Hm.' }, words(1), end(1, 1)];
    await turn(events, Infinity, { onThought: (text) => void thoughts.push(text) });
    expect(thoughts).toEqual(['Hm.']);
  });

  it('does not exist without a model', async () => {
    const { reply, sent, usage } = await turn([end(1, 1)], 100, {
      request: { model: { providerId: offlineProviderId, model: 'offline' } },
    });
    expect(reply).toMatchObject({
      error: {
        code: 'UNAVAILABLE',
        message: 'No model is connected, and this step needs one.',
        hint: 'Connect a model in the model picker, or ask for something a recipe does.',
      },
    });
    expect([sent, usage]).toEqual([[], noUsage]);
  });
});
