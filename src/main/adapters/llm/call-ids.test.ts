import { describe, expect, it } from 'vitest';
import type { WireName } from '#shared/model';
import type { ModelMessage } from '../../../core/ports/llm';
import {
  configureScripted,
  createClientHarness,
  eventsOf,
  textOf,
  wireNames,
} from '../../../testing/scripted-model-client';
import { startScriptedModel } from '../../../testing/scripted-model';
import type { ScriptedReply, ScriptedRequest } from '../../../testing/scripted-reply';

const call = (id: string, path: string) => ({ id, name: 'read', argumentsJson: JSON.stringify({ path }) });
const result = (toolCallId: string, content: string): ModelMessage => ({ role: 'tool', toolCallId, content });
/** Two calls of one reply and a call of the next one, all with the same id. */
const messages: readonly ModelMessage[] = [
  { role: 'user', content: 'hi' },
  { role: 'assistant', content: '', toolCalls: [call('call_0', 'a'), call('call_0', 'b')] },
  result('call_0', 'text of a'),
  result('call_0', 'text of b'),
  { role: 'assistant', content: '', toolCalls: [call('call_0', 'c')] },
  result('call_0', 'text of c'),
];

const idNames = ['tool_call_id', 'tool_use_id', 'call_id', 'id'];

/** The id and the path or text of each call and result in a request, in order. */
function namedIn(value: unknown): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) return value.flatMap(namedIn);
  if (typeof value !== 'object' || value === null) return [];
  const row = value as Record<string, unknown>;
  const id = idNames.map((name) => row[name]).find((one) => typeof one === 'string');
  const words = /"path\\*":\\*"(\w)|text of (\w)/.exec(JSON.stringify(row));
  if (id !== undefined && words) return [[id, words[1] ?? words[2] ?? '']];
  return Object.values(row).flatMap(namedIn);
}

describe.each(wireNames)('%s', (wire) => {
  it('[LLM-call-ids] each call of a request has an id of its own, which its result names', async () => {
    const model = await startScriptedModel({ replies: [{ text: 'a' }, { text: 'b' }], models: ['large'] });
    const { client, home, remove } = createClientHarness({});
    configureScripted(home, { wire, baseUrl: model.baseUrl, key: 'k' });
    const request = { model: { providerId: 'scripted', model: 'large' }, messages };
    const { signal } = new AbortController();
    for (const sent of [request, { ...request, messages: messages.slice(0, 4) }])
      await eventsOf(client.stream(sent, signal));
    const [whole, start] = model.requests.map(({ json }) => namedIn(json?.['messages'] ?? json?.['input']));
    await model.close();
    remove();
    const idOf = (path: string) => whole?.filter(([, word]) => word === path).map(([id]) => id);
    for (const path of ['a', 'b', 'c']) expect(new Set(idOf(path)).size).toBe(1);
    expect(new Set(whole?.map(([id]) => id)).size).toBe(3);
    expect(idOf('a')).toEqual(['call_0', 'call_0']);
    // A longer conversation begins with the same bytes.
    expect(whole?.slice(0, 4)).toEqual(start);
  });
});

/** Ids as other servers give them; the first two differ only in a character that not every server takes. */
const foreign = ['functions.read:0', 'functions.read.0', `call_${'x'.repeat(50)}`, `toolu_${'y'.repeat(90)}`];
const own = ['aB3xK9mP2', 'toolu_01A-b', 'call_Zz09'];
const ids = [...own, ...foreign];
const crossing: readonly ModelMessage[] = [
  { role: 'user', content: 'hi' },
  { role: 'assistant', content: '', toolCalls: ids.map((id, at) => call(id, 'abcdefg'.charAt(at))) },
  ...ids.map((id, at) => result(id, `text of ${'abcdefg'.charAt(at)}`)),
];

/** The ids of the calls as a server gets them, in order; the result of each must name the same one. */
function idsSent(request: ScriptedRequest | undefined): readonly string[] {
  const named = namedIn(request?.json?.['messages'] ?? request?.json?.['input']);
  const sent = [...'abcdefg'].map((path) => named.filter(([, word]) => word === path).map(([id]) => id));
  for (const pair of sent) expect([pair.length, new Set(pair).size]).toEqual([2, 1]);
  expect(new Set(sent.flat()).size).toBe(ids.length);
  return sent.map(([id]) => id ?? '');
}

async function sendCrossing(wire: WireName, times: number, first: readonly ScriptedReply[] = []) {
  const replies = [...first, { text: 'a' }, { text: 'b' }];
  const model = await startScriptedModel({ replies, models: ['large'] });
  const { client, home, remove } = createClientHarness({});
  configureScripted(home, { wire, baseUrl: model.baseUrl, key: 'k' });
  const request = { model: { providerId: 'scripted', model: 'large' }, messages: crossing };
  for (let count = 0; count < times; count += 1)
    expect(textOf(await eventsOf(client.stream(request, new AbortController().signal)))).not.toBe('');
  await model.close();
  remove();
  return model.chats();
}

describe('[LLM-call-id-forms] the ids of calls of other servers', () => {
  it.each([
    ['chat', ids.length],
    ['responses', 6],
    ['anthropic', 5],
  ] as const)('are replaced over %s only where the protocol refuses them', async (wire, unchanged) => {
    const [sent] = await sendCrossing(wire, 1);
    const taken = idsSent(sent).filter((id, at) => id === ids[at]);
    expect(taken.slice(0, own.length)).toEqual(own);
    expect(taken).toHaveLength(unchanged);
    if (wire === 'anthropic') expect(idsSent(sent).join('')).toMatch(/^[a-zA-Z0-9_-]+$/);
  });

  it.each([
    'Tool call id was functions.read:0 but must be a-z, A-Z, 0-9, with a length of 9.',
    "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40.",
    "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    "Invalid 'input[2].call_id': string too long. Expected a string with maximum length 64.",
    'The value at messages.2.toolUse.toolUseId must have length less than or equal to 64',
    'tool_call_id: string does not match the pattern of this server',
  ])('are all replaced once a server refused one: %s', async (message) => {
    const refusal = { text: '', fault: { type: 'status' as const, status: 400, message } };
    const [first, again, next] = await sendCrossing('chat', 2, [refusal]);
    expect(idsSent(first)).toEqual(ids);
    expect(idsSent(again)).toEqual([
      'aB3xK9mP2',
      ...ids.slice(1).map(() => expect.stringMatching(/^[a-z0-9]{9}$/) as string),
    ]);
    expect(next?.text).toBe(again?.text);
  });
});
