import { describe, expect, it } from 'vitest';
import { createUnsupportedFeatures, refusedPart } from './unsupported-features';
import { anthropicWire } from './anthropic/wire';
import { chatWire, requestBody } from './chat/wire';
import { responsesWire } from './responses/wire';

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
    [400, 'Model grok-4 does not support parameter reasoningEffort.', 'reasoning_effort'],
    [400, 'Model grok-4-reasoning does not support parameter reasoningEffort.', 'reasoning_effort'],
    [422, 'body.messages.2.assistant.reasoning_content: Extra inputs are not permitted', 'thinking'],
    [400, "'messages.2' : property 'reasoning_content' is unsupported", 'thinking'],
    [400, "property 'reasoning' is unsupported", 'thinking'],
    [400, 'Unknown field: reasoning_details', 'thinking'],
    [400, 'response_format json_object is not supported with thinking', 'response_format'],
    [400, 'The tool_choice parameter does not support being set to required in thinking mode', undefined],
    [400, 'The `reasoning_content` in the thinking mode must be passed back to the API.', undefined],
    [400, 'Model grok-4-fast-reasoning does not support parameter stop.', undefined],
    [400, "This model does not take response_format.type 'json_schema'", 'response_format'],
    [400, 'Invalid schema for function "get_temperature"', undefined],
    [400, 'The context is too long.', undefined],
    [400, 'Invalid schema for function "list": required is missing', undefined],
    [500, 'stream_options broke us', undefined],
    [429, 'does not support tools', undefined],
  ])('[LLM-refused-parts] is recognised from a clear message: %i %s', (status, message, part) => {
    expect(refusedPart(said(status, message), chatWire.optional, new Set())).toBe(part);
  });

  it.each([
    ['OpenAI', "Unsupported parameter: 'temperature' is not supported with this model.", 'temperature'],
    [
      'OpenAI',
      "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
      'temperature',
    ],
    [
      'OpenAI',
      "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
      'response_format',
    ],
    [
      'OpenAI',
      "Invalid schema for response_format 'plan': In context=(), 'additionalProperties' is required to be supplied and to be false.",
      'response_format',
    ],
    ['OpenAI', "Unknown parameter: 'reasoning_effort'.", 'reasoning_effort'],
    [
      'OpenAI',
      "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model.",
      'reasoning_effort',
    ],
    [
      'vLLM',
      "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted', 'input': {'include_usage': True}}]",
      'stream_options',
    ],
    ['vLLM', 'body.cache_control: Extra inputs are not permitted', 'cache_control'],
    ['llama.cpp', 'Unsupported param: response_format', 'response_format'],
    ['llama.cpp', 'tools param requires --jinja flag', undefined],
    ['Mistral', 'body.stream_options: Extra inputs are not permitted', 'stream_options'],
    [
      'Gemini',
      'Invalid JSON payload received. Unknown name "stream_options": Cannot find field.',
      'stream_options',
    ],
    [
      'Gemini',
      'Invalid JSON payload received. Unknown name "reasoning_effort": Cannot find field.',
      'reasoning_effort',
    ],
    ['Groq', "property 'stream_options' is unsupported", 'stream_options'],
    ['Groq', '`reasoning_effort` must be one of `none` or `default`', 'reasoning_effort'],
    ['Groq', 'This model does not support response format `json_schema`.', 'response_format'],
    ['DeepSeek', 'This response_format type is unavailable now', 'response_format'],
    ['Together', 'Input validation error: `temperature` must be strictly positive', 'temperature'],
    ['Ollama', 'temperature is not supported by this model', 'temperature'],
    ['xAI', 'Argument not supported on this model: temperature', 'temperature'],
  ])('[LLM-refused-parts] is recognised in what %s says: %s', (_, message, part) => {
    expect(refusedPart(said(400, message), chatWire.optional, new Set())).toBe(part);
  });

  const wires = [chatWire, responsesWire, anthropicWire];
  it.each([
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    'Invalid prompt: your prompt about temperature was flagged as potentially violating our usage policy.',
    "messages.4.content: unexpected character in 'the temperature in Berlin is 21 degrees'",
    'Unknown tool "temperature": it is not among the tools of the request.',
    'The tool result about the temperature of the sensor is not valid UTF-8.',
    "Unsupported image in message 3 ('temperature sensor.tiff').",
    'Content filtered: your code sets stream_options and temperature and response_format.',
    'messages.2.content.0.text.cache_control: cache_control cannot be set for empty text blocks',
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    "The name 'get_temperature' is used by two tools.",
    'Your reasoning summary of the weather is too short.',
  ])('[LLM-refused-parts] stays on after a refusal of what the conversation holds: %s', (message) => {
    for (const { optional } of wires) {
      expect(refusedPart(said(400, message), optional, new Set())).toBeUndefined();
    }
  });

  it.each([
    ["Unknown parameter: 'include'.", 'encrypted_thinking'],
    [
      "Invalid value: 'reasoning.encrypted_content'. Supported values are: 'file_search'",
      'encrypted_thinking',
    ],
    ['Encrypted content is not supported with this model.', 'encrypted_thinking'],
    ['Your organization must be verified to generate reasoning summaries.', 'thinking_summary'],
    ["Unsupported parameter: 'reasoning.effort' is not supported with this model.", 'reasoning_effort'],
    ['Model grok-4-fast-reasoning does not support parameter reasoningEffort.', 'reasoning_effort'],
    ['Model grok-4-fast-reasoning does not support parameter stop.', undefined],
    ['The request must include a message of the user.', undefined],
    ['The encrypted content gAAA could not be verified.', undefined],
    ["Item 'rs_1' of type 'reasoning' was provided without its required following item.", undefined],
  ])('[LLM-refused-parts] is recognised from a refusal of OpenAI Responses: %s', (message, part) => {
    expect(refusedPart(said(400, message), responsesWire.optional, new Set())).toBe(part);
  });

  it.each([
    ['adaptive thinking is not supported on this model', 'adaptive_thinking'],
    ['thinking.adaptive.display: Extra inputs are not permitted', 'adaptive_thinking'],
    ["thinking: Input tag 'adaptive' does not match any of the expected tags", 'adaptive_thinking'],
    ['This model does not support the effort parameter.', 'reasoning_effort'],
    ['output_config: Extra inputs are not permitted', 'reasoning_effort'],
    ["'claude-3-haiku' does not support thinking.", 'thinking'],
    ['thinking: Extra inputs are not permitted', 'thinking'],
    ['`temperature` may only be set to 1 when thinking is enabled.', 'temperature'],
    ['messages.1.content.0: Invalid `signature` in `thinking` block', undefined],
    ['Expected `thinking` or `redacted_thinking`, but found `tool_use`.', undefined],
    ['`thinking` blocks in the latest assistant message cannot be modified.', undefined],
    ['`max_tokens` must be greater than `thinking.budget_tokens`.', undefined],
    ['The effort to display this page failed.', undefined],
    ['kimi-k2-thinking does not support this request.', undefined],
  ])('[LLM-refused-parts] is recognised from a refusal of Anthropic Messages: %s', (message, part) => {
    expect(refusedPart(said(400, message), anthropicWire.optional, new Set())).toBe(part);
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
