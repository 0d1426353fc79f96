import { afterEach, describe, expect, it } from 'vitest';
import type { MessagePart } from '#shared/run-fact';
import type { ModelMessage } from '../../../../core/ports/llm';
import type { Script } from '../../../../testing/scripted-model';
import { eventsOf, startScriptedHarness, textOf } from '../../../../testing/scripted-model-client';
import { createReplyAssembly } from './reply';
import { requestBody } from './wire';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const model = { providerId: 'p', model: 'm' };

/** The parts of a reply that came in these pieces, before a call. */
function partsFrom(...deltas: readonly object[]): readonly MessagePart[] {
  const assembly = createReplyAssembly();
  const call = { index: 0, id: 'call_a', function: { name: 'read_text', arguments: '{}' } };
  for (const delta of [...deltas, { tool_calls: [call] }])
    assembly.read(JSON.stringify({ choices: [{ delta }] }));
  const end = assembly.end(true);
  return end.type === 'complete' ? (end.parts ?? []) : [];
}

const turn = (parts: readonly MessagePart[], content = ''): readonly ModelMessage[] => [
  { role: 'user', content: 'hi' },
  {
    role: 'assistant',
    content,
    toolCalls: [{ id: 'call_a', name: 'read_text', argumentsJson: '{}' }],
    parts,
  },
  { role: 'tool', toolCallId: 'call_a', content: 'RESULT' },
];

/** The reply as it is sent back, without its call. */
function returned(parts: readonly MessagePart[], content = ''): object {
  const body = requestBody({ model, messages: turn(parts, content) }, 'h');
  const { tool_calls: _calls, ...message } = body.messages[1] as { readonly tool_calls?: unknown };
  return message;
}

describe('[LLM-thinking] thinking returns in the place that it came in', () => {
  const block = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }] });

  it('as a block of the content', () => {
    const parts = partsFrom({ content: [block('Let me ')] }, { content: [block('see.')] });
    expect(returned(parts)).toEqual({ role: 'assistant', content: [block('Let me see.')] });
    const text = [block('Let me see.'), { type: 'text', text: 'Looking.' }];
    expect(returned(parts, 'Looking.')).toEqual({ role: 'assistant', content: text });
  });

  it.each(['reasoning_content', 'reasoning'])('as %s', (field) => {
    const parts = partsFrom({ [field]: 'Let me ' }, { [field]: 'see.' });
    expect(returned(parts)).toEqual({ role: 'assistant', content: null, [field]: 'Let me see.' });
  });

  it('as reasoning_details', () => {
    const detail = { type: 'reasoning.text', index: 0, format: 'x' };
    const parts = partsFrom(
      { reasoning: 'Let me ', reasoning_details: [{ ...detail, text: 'Let me ' }] },
      { reasoning: 'see.', reasoning_details: [{ ...detail, text: 'see.', signature: 's=' }] },
    );
    const details = [{ ...detail, text: 'Let me see.', signature: 's=' }];
    expect(returned(parts)).toEqual({ role: 'assistant', content: null, reasoning_details: details });
  });
});

it('[LLM-refused-parts] thinking that a server does not take back is left out, at once and later', async () => {
  const message = 'body.messages.1.assistant.reasoning_content: Extra inputs are not permitted';
  const call = { id: 'call_a', name: 'read_text', arguments: {} };
  const script: Script = {
    replies: [
      { thinking: 'Let me see.', toolCalls: [call] },
      { fault: { type: 'status', status: 422, message } },
      { text: 'done' },
      { text: 'again' },
    ],
  };
  const harness = await startScriptedHarness(script, { wire: 'chat' });
  closing.push(harness.close);
  const ask = (messages: readonly ModelMessage[]) =>
    eventsOf(harness.client.stream({ model: harness.ref, messages }, new AbortController().signal));
  const end = (await ask([{ role: 'user', content: 'hi' }])).at(-1);
  const messages = turn(end?.type === 'end' ? (end.parts ?? []) : []);
  expect(textOf(await ask(messages))).toBe('done');
  expect(textOf(await ask(messages))).toBe('again');
  const sent = harness.model.chats().map(({ text }) => text.includes('Let me see.'));
  expect(sent).toEqual([false, true, false, false]);
});
