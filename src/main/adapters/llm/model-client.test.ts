import { afterEach, describe, expect, it } from 'vitest';
import { offlineModel } from '#shared/model';
import type { ModelEvent, ModelRequest } from '../../../core/ports/llm';
import { startScriptedModel, type Script, type ScriptedModel } from '../../../testing/scripted-model';
import {
  createClientHarness,
  eventsOf,
  startScriptedHarness,
  textOf,
} from '../../../testing/scripted-model-client';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function harnessFor(script: Script) {
  const harness = await startScriptedHarness(script, { key: 'sk-canary-0451' });
  closing.push(harness.close);
  return harness;
}

const ask = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: { providerId: 'environment', model: 'large' },
  messages: [{ role: 'user', content: text }],
  ...more,
});

const never = (): AbortSignal => new AbortController().signal;

/** Reads a stream up to and including its first event. */
async function firstEvent(stream: AsyncIterable<ModelEvent>) {
  const iterator = stream[Symbol.asyncIterator]();
  const first = await iterator.next();
  return { first: first.value as ModelEvent, iterator };
}

describe('a streamed reply', () => {
  it('delivers text as it arrives and ends with the tokens that the server counted', async () => {
    const { client, model } = await harnessFor({
      replies: [{ text: ['One ', 'two'], gated: true, usage: { inputTokens: 12, outputTokens: 2 } }],
    });
    const iterator = client.stream(ask('Count'), never())[Symbol.asyncIterator]();
    const first = iterator.next();
    await model.chat(0);
    model.release(1);
    expect((await first).value).toEqual({ type: 'text', text: 'One ' });
    model.release();
    expect((await iterator.next()).value).toEqual({ type: 'text', text: 'two' });
    expect((await iterator.next()).value).toEqual({ type: 'end', inputTokens: 12, outputTokens: 2 });
    expect((await iterator.next()).done).toBe(true);
  });

  it('counts 0 tokens when the server counts none', async () => {
    const { client } = await harnessFor({ replies: [{ text: 'Hi', usage: null }] });
    const events = await eventsOf(client.stream(ask('Hi'), never()));
    expect(events.at(-1)).toEqual({ type: 'end', inputTokens: 0, outputTokens: 0 });
  });

  it('delivers complete tool calls after the text, however the server splits them', async () => {
    const { client } = await harnessFor({
      replies: [
        {
          text: 'Let me look.',
          toolCalls: [
            { id: 'a', name: 'read_text', arguments: { path: './ä.txt' } },
            { id: 'b', name: 'submit_plan', arguments: '{"goal": broken' },
          ],
        },
      ],
    });
    const events = await eventsOf(client.stream(ask('Look'), never()));
    expect(events.filter((event) => event.type === 'tool-call').map(({ call }) => call)).toEqual([
      { id: 'a', name: 'read_text', argumentsJson: '{"path":"./ä.txt"}' },
      { id: 'b', name: 'submit_plan', argumentsJson: '{"goal": broken' },
    ]);
    expect(events.map(({ type }) => type).slice(-3)).toEqual(['tool-call', 'tool-call', 'end']);
  });

  it('accepts a complete answer from a server that does not stream', async () => {
    const call = { id: 'a', name: 'submit_plan', arguments: {} };
    const { client } = await harnessFor({
      replies: [{ text: 'All at once', plain: true, toolCalls: [call] }],
    });
    const events = await eventsOf(client.stream(ask('Hi'), never()));
    expect(textOf(events)).toBe('All at once');
    expect(events.map(({ type }) => type)).toEqual(['text', 'tool-call', 'end']);
  });

  it('keeps a character that the server split in two', async () => {
    const { client } = await harnessFor({ replies: [{ text: ['smile \ud83d', '\ude00 done'] }] });
    const texts = (await eventsOf(client.stream(ask('Hi'), never()))).flatMap((event) =>
      event.type === 'text' ? [event.text] : [],
    );
    expect(texts.join('')).toBe('smile 😀 done');
    expect(texts.every((text) => Buffer.from(text).toString() === text)).toBe(true);
  });
});

describe('a request', () => {
  it('has the same bytes every time, the key in one header only and no information about the machine', async () => {
    const { client, model } = await harnessFor({ replies: [{ text: 'a' }, { text: 'b' }] });
    for (const _ of [1, 2]) await eventsOf(client.stream(ask('Grüß dich'), never()));
    const [first, second] = model.chats();
    expect(first?.body.equals(second?.body ?? Buffer.alloc(0))).toBe(true);
    expect(first?.json).toEqual({
      model: 'large',
      messages: [{ role: 'user', content: 'Grüß dich' }],
      stream: true,
      stream_options: { include_usage: true },
    });
    const { authorization, ...others } = first?.headers ?? {};
    expect(authorization).toBe('Bearer sk-canary-0451');
    expect(JSON.stringify(others)).not.toMatch(/canary|stainless|linux|v20/i);
  });

  it('[LLM-refused-parts] is repeated without a field that the server does not accept, and omits it from then on', async () => {
    const { client, model } = await harnessFor({
      replies: [
        { fault: { type: 'status', status: 400, message: 'Unrecognized argument: stream_options' } },
        { fault: { type: 'status', status: 400, message: 'this model does not support tools' } },
        { text: 'a' },
        { text: 'b' },
      ],
    });
    const request = ask('Hi', { tools: [{ name: 'f', description: 'Does f.', parameters: {} }] });
    for (const expected of ['a', 'b']) {
      expect(await eventsOf(client.stream(request, never()))).toContainEqual({
        type: 'text',
        text: expected,
      });
    }
    const sent = model.chats().map(({ json }) => Object.keys(json as object));
    expect(sent).toHaveLength(4);
    expect(sent[1]).not.toContain('stream_options');
    expect(sent[1]).toContain('tools');
    expect(sent[2]).toEqual(['model', 'messages', 'stream']);
    expect(sent[3]).toEqual(sent[2]);
  });

  it('[LLM-output-limit] names the limit as the server wants it, once it has refused the other name', async () => {
    const refusal = (message: string) => ({ fault: { type: 'status', status: 400, message } }) as const;
    const renamed =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    const tooLarge = 'max_tokens is too large: 50. This model supports at most 40 completion tokens.';
    const { client, model } = await harnessFor({
      replies: [refusal(tooLarge), refusal(renamed), { text: 'a' }, { text: 'b' }],
    });
    const limited = ask('hi', { maxOutputTokens: 50 });
    expect((await eventsOf(client.stream(limited, never()))).at(-1)?.type).toBe('error');
    for (const text of ['a', 'b']) expect(textOf(await eventsOf(client.stream(limited, never())))).toBe(text);
    const sent = model
      .chats()
      .map(({ json }) => Object.keys(json as object).filter((key) => key.startsWith('max')));
    expect(sent).toEqual([
      ['max_tokens'],
      ['max_tokens'],
      ['max_completion_tokens'],
      ['max_completion_tokens'],
    ]);
  });

  it('contains the conversation and the tools', async () => {
    const { client, model } = await harnessFor({ replies: [{ text: 'ok' }] });
    const parameters = { type: 'object', properties: {} };
    const request = ask('', {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'f', argumentsJson: '{"a":1}' }] },
        { role: 'tool', toolCallId: 'c1', content: 'result' },
      ],
      tools: [{ name: 'f', description: 'Does f.', parameters }],
      maxOutputTokens: 50,
    });
    await eventsOf(client.stream(request, never()));
    expect(model.chats()[0]?.json).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'result' },
      ],
      tools: [{ type: 'function', function: { name: 'f', description: 'Does f.', parameters } }],
      max_tokens: 50,
    });
  });
});

describe('cancelling a reply', () => {
  const cancelled = { type: 'error', error: { kind: 'HOST', code: 'CANCELLED' } };

  it('ends the HTTP request during a reply', async () => {
    const { client, model } = await harnessFor({ replies: [{ text: 'One two three', gated: true }] });
    const stop = new AbortController();
    model.release(1);
    const { first, iterator } = await firstEvent(client.stream(ask('Count'), stop.signal));
    expect(first).toEqual({ type: 'text', text: 'One' });
    stop.abort();
    expect((await iterator.next()).value).toMatchObject(cancelled);
    expect(await (await model.chat(0)).over).toBe('aborted');
  });

  it('ends a request that has no answer yet', async () => {
    const { client, model, clock } = await harnessFor({
      replies: [{ fault: { type: 'hang', beforeHeaders: true } }],
    });
    const stop = new AbortController();
    const events = eventsOf(client.stream(ask('Count'), stop.signal));
    const request = await model.chat(0);
    stop.abort();
    expect(await events).toMatchObject([cancelled]);
    expect(await request.over).toBe('aborted');
    expect(clock.pending()).toBe(0);
  });

  it('ends the wait before a retry, and sends no other request', async () => {
    const { client, model } = await harnessFor({ replies: [{ fault: { type: 'status', status: 503 } }] });
    const stop = new AbortController();
    const { first, iterator } = await firstEvent(client.stream(ask('Count'), stop.signal));
    expect(first.type).toBe('retrying');
    stop.abort();
    expect((await iterator.next()).value).toMatchObject(cancelled);
    expect(model.chats()).toHaveLength(1);
  });

  it('sends nothing when it was cancelled before', async () => {
    const { client, model } = await harnessFor({ replies: [{ text: 'x' }] });
    expect(await eventsOf(client.stream(ask('Count'), AbortSignal.abort()))).toMatchObject([cancelled]);
    expect(model.requests).toHaveLength(0);
  });

  it('ends the HTTP request when the reader leaves', async () => {
    const { client, model } = await harnessFor({ replies: [{ fault: { type: 'endless-text' } }] });
    for await (const event of client.stream(ask('Count'), never())) {
      expect(event.type).toBe('text');
      break;
    }
    expect(await (await model.chat(0)).over).toBe('aborted');
  });
});

describe('the default provider', () => {
  it('is offline when nothing is configured', async () => {
    const { client, remove } = createClientHarness();
    closing.push(remove);
    expect(await client.defaultModel()).toEqual(offlineModel);
    expect(await client.listModels(false)).toMatchObject([{ providerId: 'offline', models: ['offline'] }]);
    const events = await eventsOf(client.stream({ ...ask('hello'), model: offlineModel }, never()));
    expect(textOf(events)).toContain('No model is connected');
  });

  it('is the one from the environment, with its first chat model when it names none', async () => {
    const model: ScriptedModel = await startScriptedModel({
      replies: [],
      models: ['text-embedding-3', 'zed-1'],
    });
    const harness = createClientHarness({ env: { OPENAI_BASE_URL: model.baseUrl } });
    closing.push(model.close, harness.remove);
    expect(await harness.client.defaultModel()).toEqual({ providerId: 'environment', model: 'zed-1' });
  });
});
