import { isObject, type JsonObject } from '#shared/json';
import type { MessagePart } from '#shared/run-fact';
import type { OptionalPart } from '#shared/provider-row';
import type { ModelImage, ModelMessage, ModelRequest, ModelTool } from '../../../../core/ports/llm';
import type { Endpoint } from '../failure';
import { base64, imagesBefore } from '../image-parts';
import {
  refusalOf,
  refusedCallIds,
  refusedFormat,
  refusedSetting,
  refusedTemperature,
} from '../unsupported-features';
import { parsedJson, partsOf, type Wire } from '../wire';
import { createMessageAssembly } from './reply';

/** Anthropic's Messages API. Base URLs are known with and without `/v1`. */
export const anthropicWire: Wire = {
  path: (endpoint) => `${version(endpoint)}/messages`,
  listPath: (endpoint) => `${version(endpoint)}/models?limit=1000`,
  headers: ({ key }) => ({
    Authorization: null,
    'anthropic-version': '2023-06-01',
    ...(key !== null && { 'x-api-key': key }),
  }),
  body: (request, _endpoint, refused) => messagesBody(request, refused),
  assembly: createMessageAssembly,
  optional: [
    ['adaptive_thinking', refusalOf('\\badaptive\\b|\\bdisplay\\b')],
    ['response_format', refusedFormat('\\boutput_config\\.format\\b|\\bjson_schema\\b')],
    ['reasoning_effort', refusalOf('\\boutput_config\\b|\\beffort\\b')],
    // A hyphen makes it part of a model's name.
    ['thinking', refusalOf('(?<![\\w-])thinking(?![\\w-])|\\bbudget_tokens\\b')],
    ['temperature', refusedTemperature],
    ['cache_control', refusedSetting('\\bcache_control\\b')],
    ['call_ids', refusedCallIds],
  ],
};

const version = ({ baseUrl }: Endpoint): string => (/\/v\d+$/.test(baseUrl) ? '' : '/v1');

/** The protocol requires a limit; most models take this one. */
const defaultMaxTokens = 8_192;

/** Thinking tokens where a model takes a budget in place of an effort. */
const budgets = { low: 2_048, medium: 8_192, high: 24_576 };
/** The protocol takes no smaller budget. */
const smallestBudget = 1_024;

type Block = JsonObject;

/** A Messages request; equal requests produce equal bytes. Omits the parts in `refused`. */
function messagesBody(request: ModelRequest, refused: ReadonlySet<OptionalPart>): object {
  const { tools = [] } = refused.has('tools') ? {} : request;
  const cached = !refused.has('cache_control');
  const system = request.messages.flatMap(({ role, content }) => (role === 'system' ? [content] : []));
  const { maxTokens, thinking } = limitsOf(request, refused);
  return {
    model: request.model.model,
    max_tokens: maxTokens,
    // Tools, system and conversation form the prefix, in this order: one mark ends the part that stays.
    ...(tools.length > 0 && { tools: tools.map(wireTool) }),
    ...(system.length > 0 && { system: [marked({ type: 'text', text: system.join('\n\n') }, cached)] }),
    messages: conversation(request.messages, cached, refused.has('thinking')),
    stream: true,
    ...(thinking && { thinking }),
    ...outputConfig(request, refused),
    ...(!thinking && temperatureOf(request, refused)),
    ...(request.stop && { stop_sequences: [...request.stop] }),
  };
}

function outputConfig({ effort, responseFormat }: ModelRequest, refused: ReadonlySet<OptionalPart>): object {
  const schema = refused.has('response_format') ? undefined : responseFormat?.schema;
  const config = {
    ...(effort && !refused.has('reasoning_effort') && { effort }),
    ...(schema && { format: { type: 'json_schema', schema } }),
  };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}

/** The protocol's range ends at 1; with thinking it takes none. */
const temperatureOf = ({ temperature }: ModelRequest, refused: ReadonlySet<OptionalPart>): object =>
  temperature === undefined || refused.has('temperature') ? {} : { temperature: Math.min(temperature, 1) };

interface Limits {
  readonly maxTokens: number;
  readonly thinking?: JsonObject;
}

/**
 * The limit of a reply with its thinking, which counts towards it: as far as the model can write, so that a long
 * answer is not cut. Newer models decide for themselves how much to think; older ones take a budget.
 */
function limitsOf(
  { effort, maxOutputTokens, maxReplyTokens = Infinity }: ModelRequest,
  refused: ReadonlySet<OptionalPart>,
): Limits {
  const limit = maxReplyTokens < Infinity ? maxReplyTokens : defaultMaxTokens;
  const reply = Math.min(maxOutputTokens ?? limit, maxReplyTokens);
  if (!effort || refused.has('thinking')) return { maxTokens: reply };
  const maxTokens = Math.min(reply + budgets[effort], maxReplyTokens);
  if (!refused.has('adaptive_thinking'))
    return { maxTokens, thinking: { type: 'adaptive', display: 'summarized' } };
  // Where the model cannot write both, the reply keeps half.
  const whole = maxTokens === reply + budgets[effort];
  const budget = whole ? budgets[effort] : Math.min(budgets[effort], Math.floor(maxTokens / 2));
  if (budget < smallestBudget) return { maxTokens };
  return { maxTokens, thinking: { type: 'enabled', budget_tokens: budget } };
}

function wireTool({ name, description, parameters }: ModelTool): object {
  return { name, description, input_schema: { type: 'object', ...parameters } };
}

const marked = (block: Block, cached: boolean): Block =>
  cached ? { ...block, cache_control: { type: 'ephemeral' } } : block;

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

/**
 * Results of calls and lines of the user alternate with the assistant: neighbours of one role are joined, as
 * the protocol wants it. The last block carries the second mark of the cache.
 */
function conversation(
  messages: readonly ModelMessage[],
  cached: boolean,
  withoutThinking: boolean,
): readonly Message[] {
  const images = imagesBefore(messages);
  const joined: Message[] = [];
  for (const [at, message] of messages.entries()) {
    const content = [...(images[at] ?? []).flatMap(imageBlocks), ...blocksOf(message, withoutThinking)];
    if (content.length === 0) continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = joined.at(-1);
    if (last?.role === role) last.content.push(...content);
    else joined.push({ role, content });
  }
  const { content } = joined.at(-1) ?? { content: [] };
  const end = content.at(-1);
  // Thinking takes no mark.
  if (end && end['type'] !== 'thinking' && end['type'] !== 'redacted_thinking')
    content[content.length - 1] = marked(end, cached);
  return joined;
}

const textBlocks = (text: string): readonly Block[] => (text.trim() === '' ? [] : [{ type: 'text', text }]);

const imageBlocks = ({ label, mediaType, bytes }: ModelImage): readonly Block[] => [
  ...textBlocks(label),
  { type: 'image', source: { type: 'base64', media_type: mediaType, data: base64(bytes) } },
];

function blocksOf(message: ModelMessage, withoutThinking: boolean): readonly Block[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return textBlocks(message.content);
    case 'tool':
      return [{ type: 'tool_result', tool_use_id: message.toolCallId, content: message.content }];
    case 'assistant':
      return partsOf(message).flatMap((part) => partBlocks(part, withoutThinking));
  }
}

function partBlocks(part: MessagePart, withoutThinking: boolean): readonly Block[] {
  if (part.type === 'text') return textBlocks(part.text);
  if (part.type === 'call') {
    return [{ type: 'tool_use', id: part.id, name: part.name, input: inputOf(part.arguments) }];
  }
  // Only blocks of this protocol reach this place; they return as they came.
  const own = !withoutThinking && part.provider !== undefined && isObject(part.provider);
  return own ? [part.provider as JsonObject] : [];
}

/** Arguments are an object here; what the model wrote in another shape stays readable. */
function inputOf(argumentsJson: string): JsonObject {
  const value = parsedJson(argumentsJson);
  return value !== undefined && isObject(value) ? value : { unreadable: argumentsJson };
}
