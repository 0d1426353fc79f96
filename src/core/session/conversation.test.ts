import { describe, expect, it, vi } from 'vitest';
import { appError } from '#shared/app-error';
import { err } from '#shared/result';
import { turnAt } from '#shared/session-state';
import { createManualClock } from '../../testing/manual-clock';
import { plainModelContext } from '../../testing/plain-model-context';
import { must, newDatabasePath, openStore } from '../../testing/stored-session';
import type { Agent, RunReport } from '../ports/agent';
import type { ModelClient, ModelEvent, ModelRequest } from '../ports/llm';
import { createConversation, type ReplyDelta } from './conversation';
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
  const store = openStore(path);
  let count = 0;
  const log = createSessionLog({ store, ids: { next: (kind) => `${kind}_${(count += 1)}` } });
  const deltas: ReplyDelta[] = [];
  let onDelta: () => void = () => undefined;
  const unsaved: string[] = [];
  const conversation = createConversation({
    log,
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
  return { ...hand, ...time, log, store, deltas, unsaved, conversation, sessionId, ask, shown, savedText };
}

describe('Ask', () => {
  it('records the line, shows text at once, saves it in pieces, and ends with what was used', async () => {
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

  it('sends the system blocks, the conversation and the line, and nothing about tools', async () => {
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

  it('keeps a second line, answers it after the first, and lets it be taken back', async () => {
    const harness = start();
    const [first, second, third] = [must(harness.ask('1')), must(harness.ask('2')), must(harness.ask('3'))];
    expect(harness.conversation.pending(harness.sessionId)).toEqual([0, 1, 2]);
    await vi.waitFor(() => expect(harness.requests).toHaveLength(1), 15_000);
    must(harness.conversation.stop(harness.sessionId, 1));
    expect(await second.done).toBeNull();
    harness.send({ type: 'text', text: 'a' }, end);
    await first.done;
    harness.send({ type: 'text', text: 'c' }, end);
    await third.done;
    const state = harness.log.state(harness.sessionId)!;
    expect([0, 1, 2].map((turn) => turnAt(state, turn)?.reply?.status)).toEqual(['done', 'stopped', 'done']);
    expect(harness.conversation.pending(harness.sessionId)).toEqual([]);
    expect(harness.conversation.stop(harness.sessionId, 2)).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it('stops under way with what came', async () => {
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

  it('shows a failure with what came: a conversation too long is said, never shortened', async () => {
    const harness = start();
    const sent = must(harness.ask('x'));
    const error = appError('LLM', 'CONTEXT_LIMIT', 'Too long.');
    harness.send({ type: 'text', text: 'part' }, { type: 'error', error });
    expect(await sent.done).toMatchObject({ reply: { outcome: 'failed', text: 'part', error } });
  });

  it('refuses an empty line', () => {
    expect(start().ask(' \n ')).toMatchObject({ ok: false, error: { code: 'INVALID_INPUT' } });
  });

  it('[H56] a session that can no longer be written ends the reply and says so', async () => {
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
    pause: () => false,
    edit: () => err(appError('HOST', 'STATE', 'nothing is open')),
  };

  it('hands the line to the agent with the session’s folder and records what it tells', async () => {
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

  it('needs a folder, and to be switched on', () => {
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
