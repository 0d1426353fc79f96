import { describe, expect, it } from 'vitest';
import { createUnsupportedFeatures, refusedPart } from './unsupported-features';
import { chatWire, requestBody } from './chat/wire';

const said = (status: number, message: string) =>
  Object.assign(new Error(`${status} ${message}`), { status });

describe('a request field that a server does not accept', () => {
  it.each([
    [400, 'Unrecognized request argument supplied: stream_options', 'stream_options'],
    // A list of complaints, as `ErrorBody` joins them.
    [
      422,
      'body.model: Field required; body.stream_options: Extra inputs are not permitted',
      'stream_options',
    ],
    [400, 'registry.ollama.ai/library/gemma:latest does not support tools', 'tools'],
    [400, 'Unsupported parameter: tools', 'tools'],
    [400, 'function calling is not supported by this model', 'tools'],
    [400, "Unsupported value: 'temperature' does not support 0.2 with this model.", 'temperature'],
    [400, 'Unrecognized request argument supplied: reasoning_effort', 'reasoning_effort'],
    [400, "This model does not take response_format.type 'json_schema'", 'response_format'],
    [400, 'Invalid schema for function "get_temperature"', undefined],
    [400, 'The context is too long.', undefined],
    [400, 'Invalid schema for function "list": required is missing', undefined],
    [500, 'stream_options broke us', undefined],
    [429, 'does not support tools', undefined],
  ])('[LLM-refused-parts] is recognised from a clear message: %i %s', (status, message, part) => {
    expect(refusedPart(said(status, message), chatWire.optional, new Set())).toBe(part);
  });

  it('is not confused with another failure', () => {
    expect(refusedPart(new Error('stream_options'), chatWire.optional, new Set())).toBeUndefined();
    expect(refusedPart('stream_options', chatWire.optional, new Set())).toBeUndefined();
  });

  it('[LLM-refused-parts] is omitted for that model of that server, and for no other', () => {
    const refused = createUnsupportedFeatures();
    refused.note('https://a.example/v1', 'm', 'tools');
    refused.note('https://a.example/v1', 'm', 'stream_options');
    expect([...refused.of('https://a.example/v1', 'm')]).toEqual(['tools', 'stream_options']);
    expect(refused.of('https://a.example/v1', 'n').size).toBe(0);
    expect(refused.of('https://b.example/v1', 'm').size).toBe(0);
    const request = {
      model: { providerId: 'p', model: 'm' },
      messages: [{ role: 'user' as const, content: 'Hi' }],
      tools: [{ name: 'f', description: 'Does f.', parameters: {} }],
    };
    expect(requestBody(request, 'a.example', refused.of('https://a.example/v1', 'm'))).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
    });
  });
});
