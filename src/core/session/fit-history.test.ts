import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { offlineModel } from '#shared/model';
import { readNext } from '#shared/read-path';
import { createManualClock } from '../../testing/manual-clock';
import { plainModelContext } from '../../testing/plain-model-context';
import { must, newDatabasePath, openStore } from '../../testing/stored-session';
import type { ModelClient, ModelEvent, ModelRequest } from '../ports/llm';
import { createTokenEstimate } from '../tools/model-usage';
import { createConversation } from './conversation';
import { createHistoryFit } from './fit-history';
import { createSessionLog } from './session-log';
import { noContent } from './turn-steps';

const model = { providerId: 'local', model: 'm' };
const end: ModelEvent = { type: 'end', inputTokens: 7, outputTokens: 3 };
const isSummary = ({ messages }: ModelRequest): boolean =>
  messages[0]?.content.startsWith('Summarise') ?? false;

interface Behaviour {
  readonly fits?: number;
  /** Events of a summary; `hang` waits until the call is stopped. */
  readonly summary?: readonly ModelEvent[] | 'hang';
  /** Refuses requests with more characters as too long. */
  readonly refuses?: number;
}

const tooLong = appError('LLM', 'CONTEXT_LIMIT', 'Too long.');

function start({ fits, summary = [{ type: 'text', text: 'They greeted.' }, end], refuses }: Behaviour) {
  const requests: ModelRequest[] = [];
  let summaryAsked: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (summaryAsked = resolve));
  const models: ModelClient = {
    async *stream(request, signal) {
      requests.push(request);
      const size = request.messages.reduce((sum, { content }) => sum + content.length, 0);
      if (isSummary(request)) {
        summaryAsked();
        if (summary !== 'hang') yield* summary;
        else {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          yield { type: 'error', error: appError('HOST', 'CANCELLED', 'stopped') };
        }
      } else if (refuses !== undefined && size > refuses)
        yield { type: 'error', error: tooLong, unanswered: true };
      else yield* [{ type: 'text' as const, text: 'Yes. '.repeat(300) }, end];
    },
    listModels: async () => [
      {
        providerId: 'local',
        name: 'Local',
        source: 'configured',
        hasKey: false,
        models: ['m'],
        ...(fits !== undefined && { contextTokens: { m: fits } }),
      },
    ],
    providerName: () => 'Local',
    defaultModel: async () => model,
    setupProblem: () => null,
    probe: async () => ({ ok: true, value: [] }),
  };
  const path = newDatabasePath();
  let count = 0;
  const ids = { next: (kind: string) => `${kind}_${(count += 1)}` };
  const open = () => createSessionLog({ store: openStore(path), ids });
  const log = open();
  const history = createHistoryFit({ log, models, estimate: createTokenEstimate(), read: noContent });
  const conversation = createConversation({
    log,
    ids,
    models,
    clock: createManualClock().clock,
    modelContext: plainModelContext([{ source: 'base', text: 'Be brief.' }]),
    fit: history.fit,
    pushDelta: () => undefined,
  });
  const { id: sessionId } = must(log.create(null));
  const send = (text: string) => must(conversation.send({ sessionId, text, runMode: 'ask', model }));
  const ask = (text: string) => send(text).done;
  const state = () => log.state(sessionId)!;
  return { requests, asked, history, conversation, sessionId, send, ask, state, reopen: open, log };
}

const texts = (request: ModelRequest | undefined) =>
  request?.messages.map(({ content }) => content.slice(0, 70));

describe('a conversation that outgrows the context of its model', () => {
  it('[CTX-auto] is summarised before a request exceeds it, and stays stored', async () => {
    const { requests, ask, state, sessionId, log } = start({ fits: 2_000 });
    for (const line of ['one', 'two', 'three', 'four', 'five', 'six']) await ask(line);
    expect(requests.filter(isSummary)).toHaveLength(1);
    expect(state().compactions).toMatchObject([{ by: 'model', summary: 'They greeted.' }]);
    expect(texts(requests.find((_, at) => at > 0 && isSummary(requests[at - 1]!)))?.[1]).toContain(
      '[Summary of',
    );
    const sizes = requests.map(({ messages }) =>
      messages.reduce((sum, { content }) => sum + content.length, 0),
    );
    expect(Math.max(...sizes) / 4).toBeLessThan(2_000);
    expect(state().turnCount).toBe(6);
    expect(must(log.replay(sessionId)).equal).toBe(true);
  });

  it('[CTX-rule] is sent without its oldest turns, with a marker, when no summary can be written', async () => {
    const failing: ModelEvent = { type: 'error', error: appError('LLM', 'UNAVAILABLE', 'Away.') };
    const { requests, ask, state } = start({ fits: 2_000, summary: [failing] });
    for (const line of ['one', 'two', 'three', 'four', 'five', 'six']) await ask(line);
    expect(state().compactions?.[0]?.by).toBe('rule');
    expect(requests.at(-1)?.messages[1]?.content).toMatch(/^\[\d+ earlier turns left out\]\n\n/);
  });

  it.each([
    ['is sent without its oldest turns when a summary would have to wait for minutes', [300_000], 'rule'],
    ['is sent without its oldest turns when waits add up to minutes', [40_000, 40_000], 'rule'],
    ['is summarised after waits of up to a minute', [20_000, 40_000], 'model'],
  ])('[LLM-long-wait] %s', async (_title, waits, by) => {
    const error = appError('LLM', 'RATE_LIMITED', 'Later.');
    const late: ModelEvent[] = [
      ...waits.map((inMs) => ({ type: 'retrying' as const, inMs, error })),
      { type: 'text', text: 'Late.' },
      end,
    ];
    const { ask, state } = start({ fits: 2_000, summary: late });
    for (const line of ['one', 'two', 'three', 'four', 'five', 'six']) await ask(line);
    expect(state().compactions?.[0]?.by).toBe(by);
  });

  it('[CTX-too-long] is shortened and sent once more when its provider refuses it', async () => {
    const { ask, requests, state } = start({ refuses: 4_000 });
    for (const line of ['one', 'two', 'three']) await ask(line);
    expect(await ask('four')).toMatchObject({ reply: { outcome: 'done' } });
    expect(state().compactions).toHaveLength(1);
    expect(requests.filter(isSummary)).toHaveLength(1);
  });

  it('[CTX-too-long] fails with the provider’s error when nothing can be omitted', async () => {
    const { ask, requests } = start({ refuses: 10 });
    expect(await ask('a first line that is too long')).toMatchObject({
      reply: { outcome: 'failed', error: { code: 'CONTEXT_LIMIT' } },
    });
    expect(requests).toHaveLength(1);
  });

  it('[CTX-too-long] keeps its turns when a line alone exceeds the context, and says how long it may be', async () => {
    const { ask, requests, state } = start({ fits: 2_000 });
    await ask('one');
    await ask('two');
    const sent = requests.length;
    const ended = await ask('x'.repeat(8_400));
    expect(ended).toMatchObject({
      reply: {
        outcome: 'failed',
        error: {
          code: 'CONTEXT_LIMIT',
          message: expect.stringMatching(/about 2,100 tokens.*m can read 2,000\.$/) as string,
          hint: expect.stringMatching(/^Send at most about 1,59\d tokens/) as string,
        },
      },
    });
    expect(requests).toHaveLength(sent);
    expect(state().compactions).toBeUndefined();
    expect(await ask('three')).toMatchObject({ reply: { outcome: 'done' } });
    expect(texts(requests.at(-1))?.filter((_text, at) => at % 2 === 1)).toEqual(['one', 'two', 'three']);
    expect(state().compactions).toBeUndefined();
  });

  it('[CTX-too-long] says so at the first line too', async () => {
    const { ask, requests } = start({ fits: 2_000 });
    expect(await ask('x'.repeat(8_400))).toMatchObject({
      reply: {
        outcome: 'failed',
        error: { code: 'CONTEXT_LIMIT', hint: expect.stringContaining('tokens') as string },
      },
    });
    expect(requests).toEqual([]);
  });

  it('[CTX-too-long] sends a line of just about the size of the context', async () => {
    const { ask, requests } = start({ fits: 2_000 });
    expect(await ask('x'.repeat(7_800))).toMatchObject({ reply: { outcome: 'done' } });
    expect(requests).toHaveLength(1);
  });

  it('[CTX-command] is summarised on command, and the turns come back on undo', async () => {
    const { ask, requests, history, sessionId, state, log } = start({});
    await ask('one');
    await ask('two');
    const { signal } = new AbortController();
    must(await history.compact(sessionId, model, signal));
    expect(readNext(state())).toMatchObject({ covered: 2, turns: [] });
    await ask('three');
    expect(texts(requests.at(-1))).toHaveLength(2);
    must(history.undo(sessionId, 1));
    await ask('four');
    expect(
      requests
        .at(-1)
        ?.messages.filter(({ role }) => role === 'user')
        .map(({ content }) => content),
    ).toEqual(['one', 'two', 'three', 'four']);
    expect(history.undo(sessionId, 1)).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    expect(must(log.replay(sessionId)).equal).toBe(true);
  });

  it.each([
    [
      'refuses',
      [{ type: 'error' as const, error: appError('LLM', 'RATE_LIMITED', 'Later.') }],
      'RATE_LIMITED',
    ],
    [
      'would have to wait for minutes',
      [
        {
          type: 'retrying' as const,
          inMs: 300_000,
          error: appError('LLM', 'UNAVAILABLE', 'Overloaded.'),
        },
      ],
      'UNAVAILABLE',
    ],
    ['writes nothing', [end], 'INVALID_REPLY'],
  ])('[CTX-command] leaves nothing out when the model %s', async (_title, summary, code) => {
    const { ask, history, sessionId, state } = start({ summary });
    await ask('one');
    const made = await history.compact(sessionId, model, new AbortController().signal);
    expect(made).toMatchObject({ ok: false, error: { code } });
    expect(state().compactions).toBeUndefined();
  });

  it('[CTX-command] leaves turns out when only the offline provider is there', async () => {
    const { ask, history, sessionId } = start({});
    await ask('one');
    const made = await history.compact(sessionId, offlineModel, new AbortController().signal);
    expect(made).toMatchObject({ ok: true, value: { by: 'rule' } });
  });

  it('[CTX-branch] uses the original turns on a branch that leaves before the summary ends', async () => {
    const { ask, requests, history, conversation, sessionId } = start({});
    for (const line of ['one', 'two', 'three']) await ask(line);
    must(await history.compact(sessionId, model, new AbortController().signal));
    const edited = { sessionId, text: 'another two', runMode: 'ask' as const, model, parent: 0 };
    await must(conversation.send(edited)).done;
    expect(texts(requests.at(-1))?.slice(1)).toEqual(['one', expect.stringContaining('Yes.'), 'another two']);
  });

  it('[CTX-kill] shows no partial summary after the process dies while writing it', async () => {
    const { ask, asked, history, sessionId, reopen } = start({ summary: 'hang' });
    await ask('one');
    const stop = new AbortController();
    const made = history.compact(sessionId, model, stop.signal);
    await asked;
    // What another process reads now is what remains after a kill.
    const stored = reopen();
    expect(must(stored.peek(sessionId)).compactions).toBeUndefined();
    expect(must(stored.replay(sessionId)).equal).toBe(true);
    stop.abort();
    expect(await made).toMatchObject({ ok: false, error: { code: 'CANCELLED' } });
    expect(must(stored.peek(sessionId)).compactions).toBeUndefined();
  });
});
