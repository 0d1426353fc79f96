import type { ResponseCreateParamsStreaming, ResponseInputItem } from 'openai/resources/responses/responses';
import { appError } from '#shared/app-error';
import { isObject } from '#shared/json';
import type { MessagePart } from '#shared/run-fact';
import type { OptionalPart } from '#shared/provider-row';
import type { ModelImage, ModelMessage, ModelRequest } from '../../../../core/ports/llm';
import { base64, imagesBefore } from '../image-parts';
import { refusalOf, refusedCallIds, refusedFormat, refusedTemperature } from '../unsupported-features';
import { partsOf, type Wire } from '../wire';
import { createResponseAssembly } from './reply';

/** Sending the request without them would answer another question than the user asked. */
const noStopTexts = appError('HOST', 'INVALID_INPUT', "OpenAI's Responses API takes no stop texts.", {
  hint: 'Remove the stop texts (Parameters, beside the model), or choose OpenAI chat as the protocol of this provider.',
});

/**
 * OpenAI's Responses API, used without its server-side state: nothing is stored there, and reasoning returns
 * encrypted with the calls that it led to.
 */
export const responsesWire: Wire = {
  path: () => '/responses',
  listPath: () => '/models',
  headers: () => ({}),
  body: (request, _endpoint, refused) => responsesBody(request, refused),
  assembly: createResponseAssembly,
  refusal: ({ stop }) => (stop && stop.length > 0 ? noStopTexts : null),
  optional: [
    ['encrypted_thinking', refusalOf('encrypted|\\binclude\\b')],
    [
      'thinking_summary',
      /must be verified.*\breasoning summar|(?:unsupported|unknown|unrecogni[sz]ed|invalid value).*\breasoning[. ]summar|\breasoning[. ]summar.*\bnot (?:supported|allowed|available)/i,
    ],
    // A hyphen makes it part of a model's name.
    ['reasoning_effort', refusalOf('(?<![\\w-])reasoning(?:[ _]?effort)?(?![\\w-])')],
    ['response_format', refusedFormat('\\btext\\.format\\b|\\bjson_schema\\b|\\bresponse_format\\b')],
    ['temperature', refusedTemperature],
    ['call_ids', refusedCallIds],
  ],
};

/** A Responses request; equal requests produce equal bytes. Omits the parts in `refused`. */
function responsesBody(
  request: ModelRequest,
  refused: ReadonlySet<OptionalPart>,
): ResponseCreateParamsStreaming {
  const { tools = [] } = refused.has('tools') ? {} : request;
  const instructions = request.messages.flatMap(({ role, content }) => (role === 'system' ? [content] : []));
  return {
    model: request.model.model,
    ...(instructions.length > 0 && { instructions: instructions.join('\n\n') }),
    input: inputOf(request.messages),
    stream: true,
    store: false,
    ...(!refused.has('encrypted_thinking') && { include: ['reasoning.encrypted_content'] }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        name,
        description,
        parameters: { ...parameters },
        strict: false,
      })),
    }),
    ...settings(request, refused),
  };
}

function settings(
  request: ModelRequest,
  refused: ReadonlySet<OptionalPart>,
): Partial<ResponseCreateParamsStreaming> {
  const { maxOutputTokens, temperature, responseFormat } = request;
  const reasoning = reasoningOf(request, refused);
  return {
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(temperature !== undefined && !refused.has('temperature') && { temperature }),
    ...(reasoning && { reasoning }),
    ...(responseFormat && !refused.has('response_format') && { text: { format: formatOf(responseFormat) } }),
  };
}

function reasoningOf({ effort }: ModelRequest, refused: ReadonlySet<OptionalPart>) {
  if (refused.has('reasoning_effort')) return undefined;
  const summary = refused.has('thinking_summary') ? {} : { summary: 'auto' as const };
  const reasoning = { ...(effort && { effort }), ...summary };
  return Object.keys(reasoning).length === 0 ? undefined : reasoning;
}

const formatOf = ({ schema }: NonNullable<ModelRequest['responseFormat']>) =>
  schema
    ? { type: 'json_schema' as const, name: 'reply', schema: { ...schema }, strict: false }
    : { type: 'json_object' as const };

function inputOf(messages: readonly ModelMessage[]): ResponseInputItem[] {
  const images = imagesBefore(messages);
  return messages.flatMap((message, at) => {
    const parts = (images[at] ?? []).flatMap(imageParts);
    if (parts.length === 0) return itemsOf(message);
    return [
      { role: 'user' as const, content: [...parts, { type: 'input_text' as const, text: message.content }] },
    ];
  });
}

const imageParts = ({ label, mediaType, bytes }: ModelImage) => [
  { type: 'input_text' as const, text: label },
  {
    type: 'input_image' as const,
    detail: 'auto' as const,
    image_url: `data:${mediaType};base64,${base64(bytes)}`,
  },
];

function itemsOf(message: ModelMessage): readonly ResponseInputItem[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return [{ role: 'user', content: message.content }];
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.toolCallId, output: message.content }];
    case 'assistant':
      return partsOf(message).flatMap(itemOf);
  }
}

function itemOf(part: MessagePart): readonly ResponseInputItem[] {
  if (part.type === 'call') {
    return [{ type: 'function_call', call_id: part.id, name: part.name, arguments: part.arguments }];
  }
  if (part.type === 'text') return part.text === '' ? [] : [{ role: 'assistant', content: part.text }];
  // Only OpenAI's own items reach this place; they return as they came.
  return part.provider !== undefined && isObject(part.provider)
    ? [part.provider as unknown as ResponseInputItem]
    : [];
}
