import { expect, it } from 'vitest';
import type { Endpoint } from '../failure';
import { createMessageAssembly } from './reply';
import { anthropicWire } from './wire';

const endpoint: Endpoint = {
  name: 'Mine',
  baseUrl: 'http://127.0.0.1/v1',
  key: null,
  loopback: true,
  wire: 'anthropic',
};

function endOf(...events: readonly object[]) {
  const assembly = createMessageAssembly();
  for (const event of [...events, { type: 'message_stop' }]) assembly.read(JSON.stringify(event));
  const end = assembly.end(true);
  if (end.type !== 'complete') throw new Error(end.type);
  return end;
}

it('[LLM-thinking] returns encrypted thinking as it came, before the call that it led to', () => {
  const redacted = { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/LafPsn4a==' };
  const call = { type: 'tool_use', id: 'toolu_1', name: 'read_text', input: {} };
  const { parts = [], calls } = endOf(
    { type: 'content_block_start', index: 0, content_block: redacted },
    { type: 'content_block_start', index: 1, content_block: call },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
  );
  const messages = [
    { role: 'user' as const, content: 'hi' },
    { role: 'assistant' as const, content: '', toolCalls: calls, parts },
    { role: 'tool' as const, toolCallId: 'toolu_1', content: 'RESULT' },
  ];
  const request = { model: { providerId: 'p', model: 'm' }, messages };
  const { messages: sent } = anthropicWire.body(request, endpoint, new Set()) as {
    readonly messages: readonly unknown[];
  };
  expect(sent[1]).toEqual({ role: 'assistant', content: [redacted, call] });
});

it('[NUM-usage] counts input that was read from the cache or stored in it as input, and each apart', () => {
  const { usage } = endOf(
    {
      type: 'message_start',
      message: {
        usage: { input_tokens: 10, cache_read_input_tokens: 200, cache_creation_input_tokens: 3_000 },
      },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi.' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } },
  );
  expect(usage).toEqual({
    inputTokens: 3_210,
    outputTokens: 4,
    cachedTokens: 200,
    cacheWriteTokens: 3_000,
  });
});

it('[LLM-thinking] returns thinking between calls in its order, also what the server did not sign', () => {
  const signed = { type: 'thinking', thinking: 'First  A.\n', signature: 'EqQB/+==' };
  const unsigned = { type: 'thinking', thinking: 'Then B. 🙂' };
  const calls = ['toolu_1', 'toolu_2'].map((id) => ({ type: 'tool_use', id, name: 'read_text', input: {} }));
  const text = { type: 'text', text: 'Between.' };
  const blocks = [signed, calls[0], text, unsigned, calls[1]];
  const end = endOf(
    ...blocks.map((content_block, index) => ({ type: 'content_block_start', index, content_block })),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
  );
  const messages = [
    { role: 'user' as const, content: 'hi' },
    { role: 'assistant' as const, content: '', toolCalls: end.calls, ...(end.parts && { parts: end.parts }) },
  ];
  const request = { model: { providerId: 'p', model: 'm' }, messages };
  const body = anthropicWire.body(request, endpoint, new Set(['cache_control']));
  const [, sent] = (body as { readonly messages: readonly { readonly content: unknown }[] }).messages;
  expect(JSON.stringify(sent?.content)).toBe(JSON.stringify(blocks));
});
