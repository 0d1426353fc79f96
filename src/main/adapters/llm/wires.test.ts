import { afterEach, describe, expect, it } from 'vitest';
import type { WireName } from '#shared/model';
import type { MessagePart } from '#shared/run-fact';
import type { ModelMessage, ModelRequest } from '../../../core/ports/llm';
import type { Script } from '../../../testing/scripted-model';
import {
  createClientHarness,
  eventsOf,
  startScriptedHarness,
  textOf,
  wireNames,
} from '../../../testing/scripted-model-client';
import { startScriptedModel } from '../../../testing/scripted-model';
import { detectWire } from './wires';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const never = (): AbortSignal => new AbortController().signal;

async function harnessFor(script: Script, wire: WireName) {
  const harness = await startScriptedHarness(script, { wire, key: 'sk-canary-0451' });
  closing.push(harness.close);
  const ask = async (more: Partial<ModelRequest> = {}) => {
    const request = { model: harness.ref, messages: [{ role: 'user' as const, content: 'hi' }], ...more };
    const events = await eventsOf(harness.client.stream(request, never()));
    const end = events.at(-1);
    return { events, end, parts: end?.type === 'end' ? (end.parts ?? []) : [] };
  };
  return { ...harness, ask };
}

const call = { id: 'call_a', name: 'read_text', arguments: { path: './ä.txt' } };
const tools = [{ name: 'read_text', description: 'Reads.', parameters: { type: 'object', properties: {} } }];
const png = { label: 'Logo:', mediaType: 'image/png', bytes: new Uint8Array([137, 80, 78, 71]) };

/** The members that parameters add or change, as they are sent. */
const parameterBytes: Readonly<Record<WireName, readonly string[]>> = {
  chat: [
    '{"temperature":1.5}',
    '{"max_tokens":500,"temperature":0.2,"reasoning_effort":"high","stop":["END","\\n\\n"]}',
  ],
  responses: [
    '{"temperature":1.5}',
    '{"max_output_tokens":500,"temperature":0.2,"reasoning":{"effort":"high","summary":"auto"}}',
  ],
  anthropic: [
    '{"temperature":1}',
    '{"max_tokens":25076,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"},"stop_sequences":["END","\\n\\n"]}',
  ],
};

it('[CTX-stop-texts] stop sequences are not dropped where the protocol has none: an error says so and nothing is sent', async () => {
  const { ask, model } = await harnessFor({ replies: [{ text: 'a' }] }, 'responses');
  const { events } = await ask({ stop: ['END'] });
  expect(events).toMatchObject([
    {
      type: 'error',
      error: {
        kind: 'HOST',
        code: 'INVALID_INPUT',
        message: expect.stringMatching(/takes no stop texts/) as string,
      },
    },
  ]);
  expect(model.chats()).toHaveLength(0);
});

describe('[LLM-think-tags] thinking that a server leaves in the text of a response', () => {
  const thoughtOf = (events: readonly { type: string; text?: string }[]) =>
    events.map((event) => (event.type === 'thinking' ? event.text : '')).join('');

  it.each([false, true])('is thinking and is not sent back (one document: %s)', async (plain) => {
    const text = ['\n<th', 'ink>First', ' A.</thi', 'nk>\n\nThe ', 'answer.'];
    const { ask } = await harnessFor({ replies: [{ text, plain }] }, 'responses');
    const { events, parts } = await ask();
    expect([thoughtOf(events), textOf(events)]).toEqual(['First A.', 'The answer.']);
    expect(parts).toEqual([
      { type: 'thinking', text: 'First A.' },
      { type: 'text', text: 'The answer.' },
    ]);
  });

  it.each([
    ['that only begins like the tag', ['<th', '>Name</th>']],
    ['that ends before the tag does', ['<thi']],
    ['in white space', ['  ', '\n', 'indented']],
  ])('is text %s', async (_, text) => {
    const { ask } = await harnessFor({ replies: [{ text }] }, 'responses');
    const { events } = await ask();
    expect([thoughtOf(events), textOf(events)]).toEqual(['', text.join('')]);
  });

  it('stays in the text of a server that names the thinking', async () => {
    const text = ['<think>x</think>', ' is a tag.'];
    const { ask } = await harnessFor({ replies: [{ text, thinking: 'Hm.' }] }, 'responses');
    const { events } = await ask();
    expect([thoughtOf(events), textOf(events)]).toEqual(['Hm.', text.join('')]);
  });

  it('without an end is a reply without an answer', async () => {
    const { ask } = await harnessFor({ replies: [{ text: ['<think>And then', ' </th'] }] }, 'responses');
    const { events, end } = await ask();
    expect(thoughtOf(events)).toBe('And then </th');
    expect(end).toMatchObject({ error: { message: 'The model thought and gave no answer.' } });
  });
});

/** Thinking as the scripted server sends it, and must get it back. */
const sentThinking = (signature: string): Readonly<Record<WireName, unknown>> => ({
  chat: 'Secret thoughts',
  responses: {
    id: 'rs_scripted',
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'Secret thoughts' }],
    encrypted_content: signature,
  },
  anthropic: { type: 'thinking', thinking: 'Secret thoughts', signature },
});

type Members = Readonly<Record<string, unknown>>;

/** The members of a request that return thinking, in the place of each protocol. */
function thinkingIn(wire: WireName, body: unknown): readonly unknown[] {
  const { messages = [], input = [] } = body as Readonly<Record<string, readonly Members[]>>;
  if (wire === 'responses') return input.filter(({ type }) => type === 'reasoning');
  if (wire === 'chat') return messages.flatMap(({ reasoning_content: text }) => (text ? [text] : []));
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Members[]) : []));
  return blocks.filter(({ type }) => type === 'thinking');
}

describe.each(wireNames)('[LLM-wires] %s', (wire) => {
  it('streams thinking, text and calls, and counts all tokens', async () => {
    const usage = { inputTokens: 100, outputTokens: 20, cachedTokens: 64, reasoningTokens: 7 };
    const { ask } = await harnessFor(
      { replies: [{ thinking: 'Let me see.', text: 'One two', toolCalls: [call], usage }] },
      wire,
    );
    const { events, end, parts } = await ask();
    const thinking = events.map((event) => (event.type === 'thinking' ? event.text : '')).join('');
    expect([thinking, textOf(events)]).toEqual(['Let me see.', 'One two']);
    expect(events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))).toEqual([
      { id: 'call_a', name: 'read_text', argumentsJson: '{"path":"./ä.txt"}' },
    ]);
    expect(end).toMatchObject({ type: 'end', ...usage });
    expect(parts.map(({ type }) => type)).toEqual(['thinking', 'text', 'call']);
  });

  it('accepts a complete answer from a server that does not stream', async () => {
    const { ask } = await harnessFor(
      { replies: [{ thinking: 'Hm.', text: 'All at once', plain: true, toolCalls: [call] }] },
      wire,
    );
    const { events, end } = await ask();
    expect(textOf(events)).toBe('All at once');
    expect(events.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool-call', 'end']);
    expect(end?.type === 'end' && end.inputTokens).toBe(10);
  });

  it('can be cancelled during a reply, and ends the HTTP request', async () => {
    const { client, model, ref } = await harnessFor({ replies: [{ text: 'One two', gated: true }] }, wire);
    const stop = new AbortController();
    model.release(1);
    const request = { model: ref, messages: [{ role: 'user' as const, content: 'hi' }] };
    const iterator = client.stream(request, stop.signal)[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual({ type: 'text', text: 'One' });
    stop.abort();
    expect((await iterator.next()).value).toMatchObject({ type: 'error', error: { code: 'CANCELLED' } });
    expect(await (await model.chat(0)).over).toBe('aborted');
  });

  it('sends the conversation, images, tools and settings; equal requests have equal bytes', async () => {
    const { ask, model } = await harnessFor({ replies: [{ text: 'a' }, { text: 'b' }] }, wire);
    const messages: readonly ModelMessage[] = [
      { role: 'system', content: 'Be brief.', images: [png] },
      { role: 'user', content: 'First line' },
      { role: 'assistant', content: 'Looking.', toolCalls: [{ ...call, argumentsJson: '{"path":"x"}' }] },
      { role: 'tool', toolCallId: 'call_a', content: 'RESULT' },
      { role: 'user', content: 'Second line' },
    ];
    const more = { messages, tools, maxOutputTokens: 500, temperature: 0.2 };
    await ask(more);
    await ask(more);
    const [first, second] = model.chats();
    expect(first?.body.equals(second?.body ?? Buffer.alloc(0))).toBe(true);
    const sent = first?.text ?? '';
    const order = ['Be brief.', 'iVBORw==', 'First line', 'Looking.', 'read_text', 'RESULT', 'Second line'];
    if (wire === 'chat') for (const word of order) expect(sent).toContain(word);
    else expect(order.map((word) => sent.indexOf(word))).not.toContain(-1);
    expect(first?.json).toMatchObject({ model: 'large', stream: true, temperature: 0.2 });
    expect(JSON.stringify(first?.json)).toContain('500');
  });

  it('[CTX-parameters] sends exactly the parameters that are set, and no others', async () => {
    const { ask, model } = await harnessFor({ replies: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] }, wire);
    const stop = ['END', '\n\n'];
    const set = { effort: 'high', maxOutputTokens: 500, temperature: 0.2 } as const;
    await ask();
    await ask({ temperature: 1.5 });
    const { end } = await ask({ ...set, ...(wire !== 'responses' && { stop }) });
    expect(end?.type).toBe('end');
    const bare = model.chats()[0]?.json ?? {};
    const added = model.chats().map(({ text }) => {
      const members = Object.entries(JSON.parse(text) as Record<string, unknown>);
      const changed = members.filter(([name, value]) => JSON.stringify(bare[name]) !== JSON.stringify(value));
      return JSON.stringify(Object.fromEntries(changed));
    });
    expect(added).toEqual(['{}', ...parameterBytes[wire]]);
  });

  it('keeps the key in one header for its own host, and follows no redirect', async () => {
    const other = await startScriptedModel({ replies: [{ text: 'stolen', match: /./ }] });
    closing.push(other.close);
    const location = `${other.baseUrl}/elsewhere`;
    const { ask, model } = await harnessFor(
      { replies: [{ fault: { type: 'status', status: 307, headers: { location } } }], key: 'sk-canary-0451' },
      wire,
    );
    const { end } = await ask();
    expect(end).toMatchObject({ type: 'error', error: { code: 'UNAVAILABLE' } });
    expect(other.requests).toHaveLength(0);
    const { authorization, 'x-api-key': own, ...rest } = model.chats()[0]?.headers ?? {};
    expect([authorization, own].filter(Boolean)).toHaveLength(1);
    expect(JSON.stringify(rest)).not.toMatch(/canary|stainless/i);
  });

  it('lists the models with the same key', async () => {
    const { client } = await harnessFor({ replies: [], models: ['b', 'a'], key: 'sk-canary-0451' }, wire);
    const [listed] = await client.listModels(true);
    expect(listed).toMatchObject({ models: ['a', 'b'], hasKey: true });
    expect(listed?.problem).toBeUndefined();
  });

  it('[LLM-thinking] returns thinking unchanged to its model, and to no other', async () => {
    const signature = 'EqQBCkYIBR+/scripted="\\u00e4"🙂==';
    const { ask, model, ref } = await harnessFor(
      {
        replies: [
          { thinking: 'Secret thoughts', signature, toolCalls: [call] },
          { text: 'b' },
          { text: 'c' },
        ],
      },
      wire,
    );
    const { parts } = await ask();
    const stored = JSON.parse(JSON.stringify(parts)) as readonly MessagePart[];
    const messages: readonly ModelMessage[] = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: '', toolCalls: [{ ...call, argumentsJson: '{}' }], parts: stored },
      { role: 'tool', toolCallId: 'call_a', content: 'RESULT' },
    ];
    await ask({ messages, tools });
    await ask({ messages, tools, model: { ...ref, model: 'another' } });
    const [, own, other] = model.chats();
    expect(thinkingIn(wire, own?.json)).toEqual([sentThinking(signature)[wire]]);
    expect(other?.text).not.toContain('Secret thoughts');
    expect(other?.text).toContain('call_a');
  });

  it('[LLM-thinking] requests effort in its own format, and again without fields that the model does not accept', async () => {
    const refusal = {
      chat: 'Unrecognized argument: reasoning_effort',
      responses: "Unsupported parameter: 'reasoning.effort'",
      anthropic: 'adaptive thinking is not supported on this model',
    }[wire];
    const { ask, model } = await harnessFor(
      { replies: [{ fault: { type: 'status', status: 400, message: refusal } }, { text: 'ok' }] },
      wire,
    );
    expect(textOf((await ask({ effort: 'low' })).events)).toBe('ok');
    const [first, second] = model.chats().map(({ json }) => json ?? {});
    const asked = {
      chat: { reasoning_effort: 'low' },
      responses: { reasoning: { effort: 'low', summary: 'auto' } },
      anthropic: { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
    }[wire];
    expect(first).toMatchObject(asked);
    if (wire === 'anthropic') expect(second?.['thinking']).toEqual({ type: 'enabled', budget_tokens: 2_048 });
    else expect(Object.keys(second ?? {})).not.toContain(Object.keys(asked)[0]);
  });
});

describe('[LLM-wires] the protocol of a provider', () => {
  it.each([
    ['https://api.openai.com/v1', 'responses'],
    ['https://api.anthropic.com', 'anthropic'],
    ['https://api.deepseek.com/anthropic', 'anthropic'],
    ['https://openrouter.ai/api/v1', 'chat'],
    ['http://127.0.0.1:11434/v1', 'chat'],
  ])('%s is %s by default', (baseUrl, wire) => {
    expect(detectWire(baseUrl)).toBe(wire);
  });

  it('can also come from the Anthropic variables, beside those of OpenAI', async () => {
    const model = await startScriptedModel({ replies: [{ text: 'bonjour' }], key: 'sk-a' });
    const { client, remove } = createClientHarness({
      env: {
        ANTHROPIC_BASE_URL: model.baseUrl.replace('/v1', ''),
        ANTHROPIC_API_KEY: 'sk-a',
        OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
        PATINA_MODEL: 'claude-x',
      },
    });
    closing.push(model.close, remove);
    const ref = await client.defaultModel();
    expect(ref).toEqual({ providerId: 'environment-anthropic', model: 'claude-x' });
    const messages = [{ role: 'user' as const, content: 'hi' }];
    expect(textOf(await eventsOf(client.stream({ model: ref, messages }, never())))).toBe('bonjour');
    expect(model.chats()[0]).toMatchObject({ path: '/v1/messages', headers: { 'x-api-key': 'sk-a' } });
  });
});

describe('[LLM-output-limit] the limit that Anthropic Messages requires', () => {
  const sent = async (more: Partial<ModelRequest>, refusal?: string) => {
    const replies = [...(refusal === undefined ? [] : [{ fault: refused(refusal) }]), { text: 'a' }];
    const { ask, model } = await harnessFor({ replies }, 'anthropic');
    await ask(more);
    const { max_tokens: limit, thinking } = model.chats().at(-1)?.json as Record<string, unknown>;
    return [limit, thinking];
  };
  const refused = (message: string) => ({ type: 'status', status: 400, message }) as const;
  const budget = (tokens: number) => ({ type: 'enabled', budget_tokens: tokens });
  const adaptive = { type: 'adaptive', display: 'summarized' };
  const old = 'adaptive thinking is not supported';

  it.each([
    ['what every model takes while nothing is known', {}, undefined, [8_192, undefined]],
    ['what the model can write', { maxReplyTokens: 64_000 }, undefined, [64_000, undefined]],
    ['no more than a small model can write', { maxReplyTokens: 4_096 }, undefined, [4_096, undefined]],
    ['what was asked for', { maxReplyTokens: 64_000, maxOutputTokens: 500 }, undefined, [500, undefined]],
    [
      'the model with its thinking',
      { maxReplyTokens: 64_000, effort: 'high' },
      undefined,
      [64_000, adaptive],
    ],
    [
      'a budget besides',
      { maxReplyTokens: 64_000, maxOutputTokens: 500, effort: 'low' },
      old,
      [2_548, budget(2_048)],
    ],
    ['half each', { maxReplyTokens: 8_192, effort: 'high' }, old, [8_192, budget(4_096)]],
    ['a reply too short for a budget', { maxReplyTokens: 2_000, effort: 'low' }, old, [2_000, undefined]],
  ] as const)('is %s', async (_what, more, refusal, expected) => {
    expect(await sent(more, refusal)).toEqual(expected);
  });
});
