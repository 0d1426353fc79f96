import type { ChatCompletionCreateParamsStreaming, ChatCompletionMessageParam } from 'openai/resources';
import type { ModelMessage, ModelRequest } from '../../../core/ports/llm';
import { withImages } from './image-parts';
import type { OptionalPart } from './unsupported-features';

const nothing: ReadonlySet<OptionalPart> = new Set();

/** A chat completions request; equal requests produce equal bytes. Omits the parts in `refused`. */
export function requestBody(
  request: ModelRequest,
  host: string,
  refused = nothing,
): ChatCompletionCreateParamsStreaming {
  const { tools = [], toolChoice } = refused.has('tools') ? {} : request;
  return {
    model: request.model.model,
    messages: withImages(request.messages, wireMessage),
    stream: true,
    ...(!refused.has('stream_options') && { stream_options: { include_usage: true } }),
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: 'function', function: { ...tool } })) }),
    ...(toolChoice === undefined
      ? {}
      : { tool_choice: { type: 'function', function: { name: toolChoice } } }),
    ...responseParts(request, host, refused),
  };
}

/** The settings of the reply, without the parts that the server refused. */
function responseParts(
  { maxOutputTokens, temperature, effort, responseFormat }: ModelRequest,
  host: string,
  refused: ReadonlySet<OptionalPart>,
) {
  return {
    ...(maxOutputTokens === undefined ? {} : outputLimit(maxOutputTokens, host)),
    ...(temperature !== undefined && !refused.has('temperature') && { temperature }),
    ...(effort && !refused.has('reasoning_effort') && { reasoning_effort: effort }),
    ...(responseFormat && !refused.has('response_format') && { response_format: wireFormat(responseFormat) }),
  };
}

function wireFormat({ schema }: NonNullable<ModelRequest['responseFormat']>) {
  return schema
    ? { type: 'json_schema' as const, json_schema: { name: 'reply', schema: { ...schema } } }
    : { type: 'json_object' as const };
}

/** OpenAI's newer models refuse the old name; other servers know only the old one. */
function outputLimit(tokens: number, host: string) {
  return host === 'api.openai.com' ? { max_completion_tokens: tokens } : { max_tokens: tokens };
}

function wireMessage(message: ModelMessage): ChatCompletionMessageParam {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
  if (message.role !== 'assistant') return { role: message.role, content: message.content };
  const calls = message.toolCalls ?? [];
  if (calls.length === 0) return { role: 'assistant', content: message.content };
  return {
    role: 'assistant',
    content: message.content === '' ? null : message.content,
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.argumentsJson },
    })),
  };
}
