import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { noUsage } from '#shared/model';
import type { ModelEvent, ModelRequest } from '../ports/llm';
import { createCallUsage, createTokenEstimate, requestText, tokensOf } from './model-usage';

const words = (text: string): number => text.split(' ').length;

describe('the tokens of a text', () => {
  it('are counted up to 16,000 characters and extrapolated from there', () => {
    const counted: number[] = [];
    const count = (text: string) => (counted.push(text.length), text.length / 2);
    expect(tokensOf(count, 'x'.repeat(16_000))).toBe(8_000);
    expect(tokensOf(count, 'x'.repeat(24_001))).toBe(12_001);
    expect(counted).toEqual([16_000, 16_000]);
  });

  it('of another value are those of its JSON', () => {
    expect(tokensOf((text) => text.length, { a: 1 })).toBe(7);
    expect(tokensOf((text) => text.length, 'a')).toBe(1);
  });

  it('are estimated by length until the tokenizer is loaded, which happens once', async () => {
    let loads = 0;
    const estimate = createTokenEstimate(() => Promise.resolve(((loads += 1), words)));
    expect(estimate.now('one two three')).toBe(4);
    expect(await estimate.exact('one two three')).toBe(3);
    expect(estimate.now('one two three')).toBe(3);
    expect(loads).toBe(1);
  });

  it('are estimated by length without a tokenizer, or when it cannot be loaded', async () => {
    for (const estimate of [
      createTokenEstimate(),
      createTokenEstimate(() => Promise.reject(new Error('no'))),
    ]) {
      expect(await estimate.exact('12345')).toBe(2);
      expect(estimate.now('12345678')).toBe(2);
    }
  });
});

const request: ModelRequest = {
  model: { providerId: 'lab', model: 'big' },
  messages: [
    { role: 'system', content: 'sys' },
    { role: 'assistant', content: 'calls', toolCalls: [{ id: '1', name: 't', argumentsJson: '{"a":1}' }] },
    { role: 'tool', toolCallId: '1', content: 'result' },
    { role: 'assistant', content: 'done' },
  ],
};
const tools = [{ name: 't', description: 'd', parameters: {} }];

it('the text of a request has its messages, their calls and its tools', () => {
  expect(requestText(request)).toBe('sys\ncalls\nt {"a":1}\nresult\ndone');
  expect(requestText({ messages: [], tools })).toBe(JSON.stringify(tools));
  expect(requestText({ messages: [], tools: [] })).toBe('');
});

describe('the usage of a model call', () => {
  const estimate = { now: (text: string) => text.length, exact: () => Promise.resolve(0) };
  const usageOf = (events: readonly ModelEvent[], of = request) => {
    const call = createCallUsage(of, estimate);
    for (const event of events) call.observe(event);
    return call.usage();
  };
  const tokens = { inputTokens: 10, outputTokens: 2 };
  const error = appError('LLM', 'UNAVAILABLE', 'Lost.');

  it('is what the provider counted, with the details that it reports', () => {
    expect(usageOf([{ type: 'end', ...tokens }])).toEqual({ modelTurns: 1, ...tokens });
    const details = { cachedTokens: 0, cacheWriteTokens: 3, reasoningTokens: 1 };
    expect(usageOf([{ type: 'end', ...tokens, ...details }])).toEqual({
      modelTurns: 1,
      ...tokens,
      ...details,
    });
    expect(usageOf([{ type: 'end', inputTokens: 0, outputTokens: 1 }])).toMatchObject({ outputTokens: 1 });
    expect(usageOf([{ type: 'error', error, usage: tokens, unanswered: true }])).toEqual({
      modelTurns: 1,
      ...tokens,
    });
  });

  it('is estimated from the texts exchanged when the provider counted nothing', () => {
    const events: readonly ModelEvent[] = [
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'yes' },
      { type: 'retrying', inMs: 1, error },
      { type: 'tool-call', call: { id: '1', name: 't', argumentsJson: '{}' } },
    ];
    const estimated = {
      modelTurns: 1,
      inputTokens: requestText(request).length,
      outputTokens: 'hmyest {}'.length,
      estimated: true,
    };
    expect(usageOf([...events, { type: 'end', inputTokens: 0, outputTokens: 0 }])).toEqual(estimated);
    expect(usageOf([...events, { type: 'error', error }])).toEqual(estimated);
    expect(usageOf(events)).toEqual(estimated);
  });

  it('is nothing when no model read the request', () => {
    expect(usageOf([{ type: 'error', error, unanswered: true }])).toEqual(noUsage);
  });

  it('of the offline model is one turn without tokens', () => {
    const offline = { ...request, model: { providerId: 'offline', model: 'offline' } };
    expect(usageOf([{ type: 'text', text: 'hi' }], offline)).toEqual({ ...noUsage, modelTurns: 1 });
  });
});
