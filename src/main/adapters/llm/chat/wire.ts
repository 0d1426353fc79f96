import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources';
import { isObject, type Json, type JsonObject } from '#shared/json';
import type { MessagePart } from '#shared/run-fact';
import type { OptionalPart } from '#shared/provider-row';
import type { ModelImage, ModelMessage, ModelRequest } from '../../../../core/ports/llm';
import { hostOf } from '../failure';
import { base64, imagesBefore } from '../image-parts';
import {
  refusalOf,
  refusedCallIds,
  refusedFormat,
  refusedSetting,
  refusedTemperature,
} from '../unsupported-features';
import type { Wire } from '../wire';
import { withCacheMarks } from './cache-marks';
import { createReplyAssembly } from './reply';

/** OpenAI's chat completions, which most servers support, each with its own gaps. */
export const chatWire: Wire = {
  path: () => '/chat/completions',
  listPath: () => '/models',
  headers: () => ({}),
  body: (request, endpoint, refused) => {
    const body = requestBody(request, hostOf(endpoint), refused);
    const { cacheMarks = [] } = endpoint;
    const marked =
      !refused.has('cache_control') && cacheMarks.some((start) => request.model.model.startsWith(start));
    return marked ? { ...body, messages: withCacheMarks(body.messages) } : body;
  },
  assembly: createReplyAssembly,
  optional: [
    ['stream_options', refusedSetting('\\bstream_options\\b')],
    // xAI calls it `reasoningEffort`.
    ['reasoning_effort', refusedSetting('\\breasoning_?effort\\b')],
    ['response_format', refusedFormat('\\bresponse[_ ]format\\b')],
    ['temperature', refusedTemperature],
    ['cache_control', refusedSetting('\\bcache_control\\b')],
    ['call_ids', refusedCallIds],
    // A limit that is too large is refused by the same name: only the name itself is learned.
    [
      'max_tokens',
      /\bmax_tokens\b.*(not supported|unsupported|\bmax_completion_tokens\b.*\binstead\b)|(unsupported|unknown|unrecognized)[^.]*\bmax_tokens\b/i,
    ],
    // Thinking that is sent back; a hyphen makes it part of a model's name. Last: others are refused for its sake.
    [
      'thinking',
      refusalOf('(?<![\\w-])(?:thinking|reasoning(?:_content|_details)?)(?![\\w-]|[ .]effort| mode)'),
    ],
  ],
};

const nothing: ReadonlySet<OptionalPart> = new Set();

/** A chat completions request; equal requests produce equal bytes. Omits the parts in `refused`. */
export function requestBody(
  request: ModelRequest,
  host: string,
  refused = nothing,
): ChatCompletionCreateParamsStreaming {
  const { tools = [] } = refused.has('tools') ? {} : request;
  return {
    model: request.model.model,
    messages: wireMessages(request.messages, refused.has('thinking')),
    stream: true,
    ...(!refused.has('stream_options') && { stream_options: { include_usage: true } }),
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: 'function', function: { ...tool } })) }),
    ...responseParts(request, host, refused),
  };
}

/** The settings of the reply, without the parts that the server refused. */
function responseParts(
  { maxOutputTokens, temperature, effort, stop, responseFormat }: ModelRequest,
  host: string,
  refused: ReadonlySet<OptionalPart>,
) {
  return {
    ...(maxOutputTokens !== undefined && outputLimit(maxOutputTokens, host, refused)),
    ...(temperature !== undefined && !refused.has('temperature') && { temperature }),
    ...(effort && !refused.has('reasoning_effort') && { reasoning_effort: effort }),
    ...(stop && { stop: [...stop] }),
    ...(responseFormat && !refused.has('response_format') && { response_format: wireFormat(responseFormat) }),
  };
}

function wireFormat({ schema }: NonNullable<ModelRequest['responseFormat']>) {
  return schema
    ? { type: 'json_schema' as const, json_schema: { name: 'reply', schema: { ...schema } } }
    : { type: 'json_object' as const };
}

/** Newer models of OpenAI refuse the old name, wherever they are served; many other servers know only the old one. */
function outputLimit(tokens: number, host: string, refused: ReadonlySet<OptionalPart>) {
  const renamed = host === 'api.openai.com' || refused.has('max_tokens');
  return renamed ? { max_completion_tokens: tokens } : { max_tokens: tokens };
}

function wireMessages(
  messages: readonly ModelMessage[],
  withoutThinking: boolean,
): ChatCompletionMessageParam[] {
  const images = imagesBefore(messages);
  const lastLine = messages.findLastIndex(({ role }) => role === 'user');
  return messages.map((message, at) => {
    const parts = (images[at] ?? []).flatMap(imageParts);
    return parts.length > 0
      ? { role: 'user', content: [...parts, { type: 'text', text: message.content }] }
      : wireMessage(message, at > lastLine && !withoutThinking);
  });
}

const imageParts = ({ label, mediaType, bytes }: ModelImage): readonly ChatCompletionContentPart[] => [
  { type: 'text', text: label },
  { type: 'image_url', image_url: { url: `data:${mediaType};base64,${base64(bytes)}` } },
];

/** Servers require thinking with the calls that it led to, and some refuse it for turns that are over. */
function wireMessage(message: ModelMessage, withThinking: boolean): ChatCompletionMessageParam {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
  if (message.role !== 'assistant') return { role: message.role, content: message.content };
  const { content, toolCalls: calls = [], parts = [] } = message;
  if (calls.length === 0) return { role: 'assistant', content };
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    ...(withThinking && thinkingFields(parts, content)),
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.argumentsJson },
      ...signed(parts, call.id),
    })),
  };
}

/** Thinking in the place that it came in. */
function thinkingFields(parts: readonly MessagePart[], content: string): Readonly<Record<string, Json>> {
  const thought = parts.find(({ type }) => type === 'thinking');
  if (thought?.type !== 'thinking' || thought.provider === undefined || !isObject(thought.provider))
    return {};
  const { details, field } = thought.provider;
  if (details !== undefined) return { reasoning_details: details };
  if (field === 'content') return { content: [thinkingBlock(thought.text), ...textBlock(content)] };
  return typeof field === 'string' ? { [field]: thought.text } : {};
}

const textBlock = (text: string): readonly JsonObject[] => (text === '' ? [] : [{ type: 'text', text }]);

const thinkingBlock = (text: string): JsonObject => ({
  type: 'thinking',
  thinking: [{ type: 'text', text }],
});

function signed(parts: readonly MessagePart[], callId: string) {
  const call = parts.find((part) => part.type === 'call' && part.id === callId);
  return call?.provider === undefined ? {} : { extra_content: call.provider };
}
