import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../../core/ports/llm';
import { configureScripted, createClientHarness, eventsOf } from '../../../testing/scripted-model-client';
import { wireNames } from '../../../testing/scripted-model-client';
import { startScriptedModel } from '../../../testing/scripted-model';

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
