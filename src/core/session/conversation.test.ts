import { describe, expect, it, vi } from 'vitest';
import { appError } from '#shared/app-error';
import { err } from '#shared/result';
import { turnAt } from '#shared/session-state';
import { createManualClock } from '../../testing/manual-clock';
import { plainModelContext } from '../../testing/plain-model-context';
import { must, newDatabasePath, openStore } from '../../testing/stored-session';
import type { Agent, AgentRequest, RunReport } from '../ports/agent';
import type { ModelClient, ModelEvent, ModelRequest } from '../ports/llm';
import { createConversation } from './conversation';
import type { ReplyText, SentLine } from './turn-work';
import { createSessionLog } from './session-log';

const model = { providerId: 'local', model: 'm' };
const end: ModelEvent = { type: 'end', inputTokens: 7, outputTokens: 3 };

/** A model whose events a test sends one at a time. */
function createHandModel() {
  const requests: ModelRequest[] = [];
  const queue: ModelEvent[] = [];
  let wake: () => void = () => undefined;
  const send = (...events: ModelEvent[]): void => {
    queue.push(...events);
    wake();
  };
  const models: ModelClient = {
    async *stream(request, signal) {
      requests.push(request);
      signal.addEventListener('abort', () =>
        send({ type: 'error', error: appError('HOST', 'CANCELLED', 'stopped') }),
      );
      for (;;) {
        const event = queue.shift();
        if (event) yield event;
        else await new Promise<void>((resolve) => (wake = resolve));
        if (event?.type === 'end' || event?.type === 'error') return;
      }
    },
    listModels: async () => [],
    providerName: () => 'Local',
    defaultModel: async () => model,
    setupProblem: () => null,
    probe: async () => ({ ok: true, value: [] }),
  };
  return { models, requests, send };
}

function start(more: { agent?: Agent; project?: string } = {}) {
  const hand = createHandModel();
  const time = createManualClock();
  const path = newDatabasePath();
  let count = 0;
  const ids = { next: (kind: string) => `${kind}_${(count += 1)}` };
  const deltas: ReplyText[] = [];
  let onDelta: () => void = () => undefined;
  const unsaved: string[] = [];
  const open = () => {
    const store = openStore(path);
    const log = createSessionLog({ store, ids });
    const conversation = createConversation({
      log,
      ids,
      models: hand.models,
      clock: time.clock,
      modelContext: plainModelContext([{ source: 'base', text: 'Be brief.' }]),
      pushDelta(delta) {
        deltas.push(delta);
        onDelta();
      },
      onUnsaved: (_id, error) => unsaved.push(error.code),
      ...(more.agent && { agent: more.agent }),
    });
    return { store, log, conversation };
  };
  const { store, log, conversation } = open();
  const { id: sessionId } = must(log.create(more.project ?? null));
  const ask = (text: string) => conversation.send({ sessionId, text, runMode: 'ask', model });
  /** Sends text and waits until it is shown. */
  const shown = (text: string) =>
    new Promise<void>((resolve) => {
      onDelta = resolve;
      hand.send({ type: 'text', text });
    });
  const savedText = () =>
    must(store.read(sessionId, 0))
      .events.map((event) => (event.type === 'reply-extended' ? event.text : ''))
      .join('');
  const reopen = open;
  const seen = { deltas, unsaved, shown, savedText };
  return { ...hand, ...time, log, store, conversation, sessionId, ask, reopen, ...seen };
}

describe('Ask', () => {
  it('records the line, shows text immediately, saves it in pieces, and ends with the usage', async () => {
    const harness = start();
    const sent = must(harness.ask('Hello there, what is a monad?'));
    await harness.shown('A ');
    expect(harness.deltas).toEqual([{ sessionId: harness.sessionId, turn: 0, offset: 0, text: 'A ' }]);
    expect(harness.savedText()).toBe('');
    harness.advance(50);
    expect(harness.savedText()).toBe('A ');
    await harness.shown('mon');
    harness.advance(499);
    expect(harness.savedText()).toBe('A ');
    harness.advance(1);
    expect(harness.savedText()).toBe('A mon');
    await harness.shown('x'.repeat(5_000));
    expect(harness.savedText()).toHaveLength(5_005);
    harness.send({ type: 'text', text: 'ad' }, end);
    const usage = { modelTurns: 1, inputTokens: 7, outputTokens: 3 };
    expect(await sent.done).toMatchObject({ runMode: 'ask', reply: { outcome: 'done', usage } });
    const state = harness.log.state(harness.sessionId)!;
    expect(state.title).toBe('Hello there, what is a monad?');
    expect(turnAt(state, 0)?.reply).toMatchObject({ status: 'done', usage, providerName: 'Local' });
    expect(turnAt(state, 0)?.reply?.text).toBe(`A mon${'x'.repeat(5_000)}ad`);
    expect(harness.timers()).toBe(0);
  });

  it('sends the system blocks, the conversation and the line, and no tools', async () => {
    const harness = start();
    const first = must(harness.ask('one'));
    harness.send({ type: 'text', text: 'uno' }, end);
    await first.done;
    const second = must(harness.ask('two'));
    harness.send(end);
    await second.done;
    expect(harness.requests[1]).toEqual({
      model,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'uno' },
        { role: 'user', content: 'two' },
      ],
    });
  });

  it('[QUE-line] keeps lines typed during a reply in order, and lets the user change them', async () => {
    const harness = start();
    const [first, second, third, fourth] = ['1', '2', '3', '4'].map((text) => must(harness.ask(text)));
    const queue = () => harness.log.state(harness.sessionId)!.queue;
    const ids = [second, third, fourth].map((line) => line?.lineId ?? '');
    expect(queue()).toMatchObject({
      lines: ['2', '3', '4'].map((text, at) => ({ lineId: ids[at], text, when: 'stage', items: [] })),
    });
    expect(harness.log.state(harness.sessionId)?.turnCount).toBe(1);
    const place = (at: number) => ({ sessionId: harness.sessionId, lineId: ids[at] ?? '' });
    must(harness.conversation.withdrawLine(place(0)));
    expect(await second?.done).toBeNull();
    must(harness.conversation.editLine({ ...place(1), text: 'three', when: 'after' }));
    expect(harness.conversation.editLine({ ...place(1), text: ' ' })).toMatchObject({ ok: false });
    expect(harness.conversation.withdrawLine(place(0))).toMatchObject({ error: { code: 'NOT_FOUND' } });
    await vi.waitFor(() => expect(harness.requests).toHaveLength(1), 15_000);
    harness.send({ type: 'text', text: 'a' }, end);
    await first?.done;
    harness.send({ type: 'text', text: 'b' }, end);
    expect(await third?.done).toMatchObject({ reply: { outcome: 'done', text: 'b' } });
    harness.send({ type: 'text', text: 'c' }, end);
    await fourth?.done;
    const state = harness.log.state(harness.sessionId)!;
    expect([0, 1, 2].map((turn) => turnAt(state, turn)?.text)).toEqual(['1', 'three', '4']);
    expect([state.queue, harness.conversation.pending(harness.sessionId)]).toEqual([undefined, []]);
    expect(must(harness.log.replay(harness.sessionId))).toMatchObject({ equal: true });
    expect(harness.conversation.stop(harness.sessionId, 2)).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it('[QUE-move] sends waiting lines in the order that the user gave them', async () => {
    const harness = start();
    const [first, ...others] = ['1', '2', '3', '4'].map((text) => must(harness.ask(text)));
    const [two = '', three = '', four = ''] = others.map(({ lineId }) => lineId ?? '');
    const { sessionId } = harness;
    const { moveLine } = harness.conversation;
    const order = () =>
      harness.log
        .state(sessionId)!
        .queue?.lines.map(({ text }) => text)
        .join('');
    must(moveLine({ sessionId, lineId: four, before: two }));
    expect(order()).toBe('423');
    must(moveLine({ sessionId, lineId: two, before: null }));
    expect(order()).toBe('432');
    must(moveLine({ sessionId, lineId: three, before: three }));
    expect(order()).toBe('432');
    for (const move of [
      { lineId: 'line_9', before: two },
      { lineId: two, before: 'line_9' },
    ])
      expect(moveLine({ sessionId, ...move })).toMatchObject({ error: { code: 'NOT_FOUND' } });
    for (const text of ['a', 'b', 'c', 'd']) harness.send({ type: 'text', text }, end);
    await Promise.all([first!, ...others].map(({ done }) => done));
    const state = harness.log.state(sessionId)!;
    expect([0, 1, 2, 3].map((turn) => turnAt(state, turn)?.text)).toEqual(['1', '4', '3', '2']);
    expect(must(harness.log.replay(sessionId))).toMatchObject({ equal: true });
  });

  it.each(['RATE_LIMITED', 'QUOTA'] as const)(
    '[LLM-limit-wait] pauses the queue after a turn that ends with %s',
    async (code) => {
      const harness = start();
      const first = must(harness.ask('1'));
      must(harness.ask('2'));
      harness.send({ type: 'error', error: appError('LLM', code, 'No more.'), unanswered: true });
      expect(await first.done).toMatchObject({ reply: { outcome: 'failed' } });
      const state = harness.log.state(harness.sessionId)!;
      expect(state.queue).toMatchObject({ paused: true, lines: [{ text: '2' }] });
      expect(state.turnCount).toBe(1);
    },
  );

  it('[LLM-limit-wait] lets another model take over a waiting turn, and then continues the queue', async () => {
    const harness = start();
    const first = must(harness.ask('1'));
    const second = must(harness.ask('2'));
    await harness.shown('a');
    const other = { providerId: 'local', model: 'other' };
    const { sessionId } = harness;
    const taken = must(await harness.conversation.takeOver({ sessionId, turn: 0, model: other }));
    expect(await first.done).toMatchObject({ reply: { outcome: 'stopped' } });
    harness.send({ type: 'text', text: 'b' }, end, { type: 'text', text: 'c' }, end);
    expect(await taken.done).toMatchObject({ reply: { outcome: 'done', text: 'b' } });
    expect(await second.done).toMatchObject({ reply: { outcome: 'done', text: 'c' } });
    expect(harness.requests[1]?.model).toEqual(other);
    expect(turnAt(harness.log.state(sessionId)!, taken.turn)).toMatchObject({ text: '1' });
  });

  it('[QUE-stop] pauses the queue on Stop, until the user continues', async () => {
    const harness = start();
    const first = must(harness.ask('1'));
    const second = must(harness.ask('2'));
    await harness.shown('a');
    must(harness.conversation.stop(harness.sessionId, 0));
    await first.done;
    const state = () => harness.log.state(harness.sessionId)!;
    expect(state().queue).toMatchObject({ paused: true, lines: [{ text: '2' }] });
    expect(state().turnCount).toBe(1);
    const typed = must(harness.ask('typed since'));
    harness.send({ type: 'text', text: 'b' }, end);
    expect(await typed.done).toMatchObject({ reply: { outcome: 'done' } });
    expect(state().queue).toMatchObject({ paused: true });
    must(harness.conversation.resumeQueue(harness.sessionId));
    harness.send({ type: 'text', text: 'c' }, end);
    expect(await second.done).toMatchObject({ reply: { text: 'c' } });
    expect([0, 1, 2].map((turn) => turnAt(state(), turn)?.text)).toEqual(['1', 'typed since', '2']);
  });

  it('[QUE-now] [QUE-reply] sends a line immediately in place of the reply in progress, and the others after it', async () => {
    const harness = start();
    const first = must(harness.ask('1'));
    const [second, third] = [must(harness.ask('2')), must(harness.ask('3'))];
    await harness.shown('half');
    const place = { sessionId: harness.sessionId, lineId: third.lineId ?? '' };
    must(harness.conversation.editLine({ ...place, when: 'now' }));
    expect(await first.done).toMatchObject({ reply: { outcome: 'stopped', text: 'half' } });
    harness.send({ type: 'text', text: 'c' }, end);
    await third.done;
    harness.send({ type: 'text', text: 'b' }, end);
    await second.done;
    const state = harness.log.state(harness.sessionId)!;
    expect([0, 1, 2].map((turn) => turnAt(state, turn)?.text)).toEqual(['1', '3', '2']);
  });

  it('[QUE-edit] sends no line while it is being edited, nor a line after it, and sends the new text', async () => {
    const harness = start();
    const first = must(harness.ask('1'));
    const [second, third] = [must(harness.ask('2')), must(harness.ask('3'))];
    const place = { sessionId: harness.sessionId, lineId: second.lineId ?? '' };
    must(harness.conversation.editLine({ ...place, held: true }));
    await vi.waitFor(() => expect(harness.requests).toHaveLength(1), 15_000);
    harness.send({ type: 'text', text: 'a' }, end);
    await first.done;
    const state = () => harness.log.state(harness.sessionId)!;
    expect([state().turnCount, state().queue?.lines.length]).toEqual([1, 2]);
    const fourth = must(harness.ask('4'));
    expect([state().turnCount, state().queue?.lines.length]).toEqual([1, 3]);
    must(harness.conversation.editLine({ ...place, text: 'two', held: false }));
    for (const [at, line] of [second, third, fourth].entries()) {
      await vi.waitFor(() => expect(harness.requests).toHaveLength(at + 2), 15_000);
      harness.send({ type: 'text', text: 'b' }, end);
      await line.done;
    }
    expect([0, 1, 2, 3].map((turn) => turnAt(state(), turn)?.text)).toEqual(['1', 'two', '3', '4']);
    expect(must(harness.log.replay(harness.sessionId))).toMatchObject({ equal: true });
  });

  it('[QUE-edit] [QUE-now] stops the reply for a line under edit only once the edit ends', async () => {
    const harness = start();
    const first = must(harness.ask('1'));
    const second = must(harness.ask('2'));
    await harness.shown('half');
    const place = { sessionId: harness.sessionId, lineId: second.lineId ?? '' };
    must(harness.conversation.editLine({ ...place, held: true }));
    must(harness.conversation.editLine({ ...place, when: 'now' }));
    const reply = () => turnAt(harness.log.state(harness.sessionId)!, 0)?.reply?.status;
    expect(reply()).toBe('streaming');
    must(harness.conversation.editLine({ ...place, text: 'two', held: false }));
    expect(await first.done).toMatchObject({ reply: { outcome: 'stopped', text: 'half' } });
    harness.send({ type: 'text', text: 'b' }, end);
    await second.done;
    expect(turnAt(harness.log.state(harness.sessionId)!, 1)?.text).toBe('two');
  });

  it('[QUE-restart] keeps the waiting lines paused after a restart, and sends none by itself', async () => {
    const harness = start();
    must(harness.ask('1'));
    must(harness.ask('2'));
    await harness.shown('a');
    await harness.conversation.close();
    harness.log.close();
    const again = harness.reopen();
    const opened = must(again.log.open(harness.sessionId)).state;
    expect(opened.queue).toMatchObject({ paused: true, lines: [{ text: '2', when: 'stage' }] });
    expect(opened.turnCount).toBe(1);
    must(again.conversation.resumeQueue(harness.sessionId));
    expect(again.log.state(harness.sessionId)).toMatchObject({ turnCount: 2 });
    expect(again.log.state(harness.sessionId)?.queue).toBeUndefined();
    await vi.waitFor(() => expect(harness.requests).toHaveLength(2), 15_000);
    await again.conversation.close();
  });

  it('stops during a reply and keeps the text so far', async () => {
    const harness = start();
    const sent = must(harness.ask('long'));
    await harness.shown('half');
    must(harness.conversation.stop(harness.sessionId, 0));
    const usage = { modelTurns: 1, inputTokens: 4, outputTokens: 1, estimated: true };
    expect(await sent.done).toEqual({ runMode: 'ask', reply: { outcome: 'stopped', text: 'half', usage } });
    expect(turnAt(harness.log.state(harness.sessionId)!, 0)?.reply).toMatchObject({
      status: 'stopped',
      text: 'half',
    });
  });

  it('shows a failure with the text so far: a conversation that is too long is reported, never shortened', async () => {
    const harness = start();
    const sent = must(harness.ask('x'));
    const error = appError('LLM', 'CONTEXT_LIMIT', 'Too long.');
    harness.send({ type: 'text', text: 'part' }, { type: 'error', error });
    expect(await sent.done).toMatchObject({ reply: { outcome: 'failed', text: 'part', error } });
  });

  it('refuses an empty line', () => {
    // Format characters show nothing: a zero-width space, a direction mark.
    for (const blank of [' \n ', '\u200B', ' \u2066\u2069\uFEFF'])
      expect(start().ask(blank)).toMatchObject({ ok: false, error: { code: 'INVALID_INPUT' } });
  });

  it('[H56] ends the reply with an error when the session can no longer be written', async () => {
    const harness = start();
    const sent = must(harness.ask('x'));
    await harness.shown('half');
    harness.store.close();
    harness.advance(50);
    expect(await sent.done).toMatchObject({ reply: { outcome: 'failed', error: { code: 'STORAGE' } } });
    expect(harness.unsaved.length).toBeGreaterThan(0);
    await harness.conversation.close();
    harness.advance(60_000);
    expect(harness.timers()).toBe(0);
  });
});

describe('Agent Mode', () => {
  const report = { outcome: 'done', answer: '3 files' } as RunReport;
  const unasked = {
    answer: () => false,
    cancelStage: () => false,
    pause: () => false,
    review: () => false,
    judgeReview: () => Promise.resolve(err(appError('HOST', 'STATE', 'nothing waits'))),
    previewPlan: () => Promise.resolve({ findings: [] }),
    edit: () => Promise.resolve(err(appError('HOST', 'STATE', 'nothing is open'))),
  };

  it('passes the line to the agent with the session’s folder and records its events', async () => {
    const goals: unknown[] = [];
    const agent: Agent = {
      async run(request, record) {
        goals.push(request);
        record([{ type: 'run-started', turn: request.turn, runId: 'r', goal: request.goal }]);
        return report;
      },
      ...unasked,
    };
    const harness = start({ agent, project: '/p' });
    const line = { sessionId: harness.sessionId, text: 'count files', runMode: 'agent' as const, model };
    expect(await must(harness.conversation.send(line)).done).toEqual({ runMode: 'agent', run: report });
    expect(goals).toMatchObject([{ turn: 0, goal: 'count files', model, project: '/p', approve: 'ask' }]);
    expect(turnAt(harness.log.state(harness.sessionId)!, 0)?.run?.goal).toBe('count files');
  });

  it('[QUE-stage] gives waiting lines to the run, removes those it used, and names them in the next turn', async () => {
    const conversations: unknown[] = [];
    let typeLines = (): void => undefined;
    const agent: Agent = {
      ...unasked,
      async run({ turn, goal, steeringLines = () => [], conversation = [] }, record) {
        conversations.push(conversation.map(({ line }) => line));
        record([{ type: 'run-started', turn, runId: `r${turn}`, goal }]);
        await Promise.resolve();
        if (turn === 0) typeLines();
        const [first] = steeringLines();
        if (first)
          record([{ type: 'line-steered', lineId: first.lineId, turn, runId: `r${turn}`, stage: 1 }]);
        const usage = { modelTurns: 0, inputTokens: 0, outputTokens: 0 };
        record([{ type: 'run-ended', turn, runId: `r${turn}`, outcome: 'done', answer: 'Done.', usage }]);
        return report;
      },
    };
    const harness = start({ agent, project: '/p' });
    const typed: SentLine[] = [];
    const type = (text: string) => {
      const line = { sessionId: harness.sessionId, text, runMode: 'agent' as const, model };
      typed.push(must(harness.conversation.send(line)));
    };
    typeLines = () => {
      type('for the stage');
      type('after it');
      const { lineId = '' } = typed[2] ?? {};
      must(harness.conversation.editLine({ sessionId: harness.sessionId, lineId, when: 'after' }));
    };
    type('go');
    await vi.waitFor(() => expect(harness.conversation.pending(harness.sessionId)).toEqual([]), 15_000);
    await Promise.all(typed.map(({ done }) => done));
    const state = harness.log.state(harness.sessionId)!;
    expect(turnAt(state, 0)?.run?.steered).toMatchObject([{ text: 'for the stage', stage: 1 }]);
    expect([state.turnCount, turnAt(state, 1)?.text, state.queue]).toEqual([2, 'after it', undefined]);
    expect(conversations).toEqual([[], ['go\n\nfor the stage']]);
    expect(must(harness.log.replay(harness.sessionId))).toMatchObject({ equal: true });
  });

  it('[QUE-stage] [QUE-now] makes a line with items the next turn, also in place of the run', async () => {
    const usage = { modelTurns: 0, inputTokens: 0, outputTokens: 0 };
    const items = [{ kind: 'file' as const, ref: 'a.ts', hash: 'a'.repeat(64), bytes: 3, tokens: 1 }];
    const steering: unknown[] = [];
    let typeLine = (): void => undefined;
    const agent: Agent = {
      ...unasked,
      cancelStage: (_, steers) => steers,
      async run({ turn, goal, steeringLines = () => [] }, record, signal) {
        const place = { turn, runId: `r${turn}` };
        record([{ type: 'run-started', ...place, goal }]);
        await Promise.resolve();
        if (turn === 0) typeLine();
        steering.push(...steeringLines());
        const outcome = signal.aborted ? 'cancelled' : 'done';
        record([{ type: 'run-ended', ...place, outcome, answer: '', usage }]);
        return report;
      },
    };
    const { conversation, log, sessionId } = start({ agent, project: '/p' });
    typeLine = () => {
      const queued = { lineId: 'line_x', text: 'and this', runMode: 'agent' as const, model, items };
      must(log.append(sessionId, [{ type: 'line-queued', ...queued, when: 'stage' }]));
      must(conversation.editLine({ sessionId, lineId: 'line_x', when: 'now' }));
    };
    must(conversation.send({ sessionId, text: 'go', runMode: 'agent', model }));
    await vi.waitFor(() => expect(log.state(sessionId)?.turnCount).toBe(2), 15_000);
    await vi.waitFor(() => expect(conversation.pending(sessionId)).toEqual([]), 15_000);
    const state = log.state(sessionId)!;
    expect(steering).toEqual([]);
    expect(turnAt(state, 0)?.run?.status).toBe('cancelled');
    expect(turnAt(state, 1)).toMatchObject({ text: 'and this', items });
  });

  it.each([
    [{}, { planAnew: true }],
    [
      { planAnew: false, fresh: true },
      { planAnew: false, fresh: true },
    ],
  ])('[TREE-rerun] regenerates a run with %j', async (options, expected) => {
    const requests: AgentRequest[] = [];
    const agent: Agent = {
      ...unasked,
      run: (request, record) => {
        requests.push(request);
        const place = { turn: request.turn, runId: `r${request.turn}` };
        const usage = { modelTurns: 0, inputTokens: 0, outputTokens: 0 };
        record([
          { type: 'run-started', ...place, goal: request.goal },
          { type: 'run-ended', ...place, outcome: 'done', answer: 'Done.', usage },
        ]);
        return Promise.resolve(report);
      },
    };
    const { conversation, log, sessionId } = start({ agent, project: '/p' });
    await must(conversation.send({ sessionId, text: 'go', runMode: 'agent', model })).done;
    const again = must(conversation.regenerate({ sessionId, turn: 0, model, ...options }));
    await again.done;
    expect(requests[1]).toMatchObject({ goal: 'go', turn: 1, ...expected });
    expect(turnAt(log.state(sessionId)!, 1)).toMatchObject({ parent: -1, regenerates: 0 });
  });

  it('needs a folder, and must be enabled', () => {
    const agent: Agent = { run: async () => report, ...unasked };
    const line = { text: 'x', runMode: 'agent' as const, model };
    const homeless = start({ agent });
    expect(homeless.conversation.send({ ...line, sessionId: homeless.sessionId })).toMatchObject({
      error: { code: 'INVALID_INPUT', hint: expect.stringContaining('Choose a folder') as string },
    });
    const off = start({ project: '/p' });
    expect(off.conversation.send({ ...line, sessionId: off.sessionId })).toMatchObject({
      error: { code: 'STATE' },
    });
    expect(off.log.state(off.sessionId)?.turnCount).toBe(0);
  });
});
