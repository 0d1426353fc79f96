import { piecesOf, type ScriptedReply, type ScriptedToolCall, type ScriptedUsage } from './scripted-reply';

/** What the messages of a stream have in common. */
export interface WireScene {
  readonly model: string;
  readonly includeUsage: boolean;
}

/**
 * A protocol as the scripted model speaks it, written from the public references. Each function gives the data
 * of events, in order; an event is named where the protocol names its events.
 */
export interface ScriptedWire {
  readonly begin: (reply: ScriptedReply, scene: WireScene) => readonly object[];
  readonly thinking: (reply: ScriptedReply, scene: WireScene) => readonly object[];
  readonly beforeText: (reply: ScriptedReply, scene: WireScene) => readonly object[];
  readonly piece: (text: string, reply: ScriptedReply, scene: WireScene) => object;
  readonly end: (reply: ScriptedReply, scene: WireScene) => readonly object[];
  /** The last line of a stream that has one of its own. */
  readonly last?: string;
  readonly error: (error: unknown) => object;
  readonly document: (reply: ScriptedReply, scene: WireScene) => object;
}

const created = 1_700_000_000;

const callId = (call: ScriptedToolCall, index: number): string => call.id ?? `call_scripted_${index}`;

const argumentsText = ({ arguments: given }: ScriptedToolCall): string =>
  typeof given === 'string' ? given : JSON.stringify(given);

const callsOf = (reply: ScriptedReply): readonly ScriptedToolCall[] => reply.toolCalls ?? [];
const textOf = (reply: ScriptedReply): string => piecesOf(reply.text).join('');
const thoughtsOf = (reply: ScriptedReply): readonly string[] => piecesOf(reply.thinking);

const usageOf = (reply: ScriptedReply): ScriptedUsage =>
  reply.usage ?? { inputTokens: 10, outputTokens: piecesOf(reply.text).length };

/** Arguments come in two parts, because real servers split them anywhere. */
function halves(text: string): readonly [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

const chunk = ({ model }: WireScene, delta: object, finish: string | null = null): object => ({
  id: 'chatcmpl-scripted',
  object: 'chat.completion.chunk',
  created,
  model,
  choices: [{ index: 0, delta, finish_reason: finish }],
});

const chatFinish = (reply: ScriptedReply): string =>
  reply.finishReason ?? (callsOf(reply).length > 0 ? 'tool_calls' : 'stop');

function chatUsage(reply: ScriptedReply): object {
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = usageOf(reply);
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(cachedTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    ...(reasoningTokens !== undefined && {
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    }),
  };
}

export const scriptedChat: ScriptedWire = {
  begin: (_reply, scene) => [chunk(scene, { role: 'assistant', content: '' })],
  thinking: (reply, scene) => thoughtsOf(reply).map((piece) => chunk(scene, { reasoning_content: piece })),
  beforeText: () => [],
  piece: (text, _reply, scene) => chunk(scene, { content: text }),
  end: (reply, scene) => [
    ...callsOf(reply).flatMap((call, index) => {
      const [head, tail] = halves(argumentsText(call));
      const made = { name: call.name, arguments: head };
      return [
        chunk(scene, {
          tool_calls: [{ index, id: callId(call, index), type: 'function', function: made }],
        }),
        chunk(scene, { tool_calls: [{ index, function: { arguments: tail } }] }),
      ];
    }),
    chunk(scene, {}, chatFinish(reply)),
    ...(scene.includeUsage && reply.usage !== null
      ? [{ ...chunk(scene, {}), choices: [], usage: chatUsage(reply) }]
      : []),
  ],
  last: '[DONE]',
  error: (error) => ({ error }),
  document: (reply, { model }) => {
    const toolCalls = callsOf(reply).map((call, index) => ({
      id: callId(call, index),
      type: 'function',
      function: { name: call.name, arguments: argumentsText(call) },
    }));
    const content = textOf(reply);
    const message = {
      role: 'assistant',
      content: content === '' && toolCalls.length > 0 ? null : content,
      ...(reply.thinking !== undefined && { reasoning_content: thoughtsOf(reply).join('') }),
      ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
    };
    return {
      id: 'chatcmpl-scripted',
      object: 'chat.completion',
      created,
      model,
      choices: [{ index: 0, message, finish_reason: chatFinish(reply) }],
      ...(reply.usage === null ? {} : { usage: chatUsage(reply) }),
    };
  },
};

const at = (reply: ScriptedReply): { readonly text: number; readonly calls: number } => {
  const text = reply.thinking === undefined ? 0 : 1;
  return { text, calls: reply.text === undefined ? text : text + 1 };
};

const reasoningItem = (reply: ScriptedReply): object => ({
  id: 'rs_scripted',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: thoughtsOf(reply).join('') }],
  encrypted_content: reply.signature ?? 'scripted/encrypted+reasoning==',
});
const messageItem = (text: string): object => ({
  id: 'msg_scripted',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const callItem = (call: ScriptedToolCall, index: number, given: string): object => ({
  id: `fc_scripted_${index}`,
  type: 'function_call',
  status: 'completed',
  call_id: callId(call, index),
  name: call.name,
  arguments: given,
});

function responseBody(reply: ScriptedReply, { model }: WireScene): object {
  const { inputTokens, outputTokens, cachedTokens = 0, reasoningTokens = 0 } = usageOf(reply);
  const reasons: Record<string, string> = { length: 'max_output_tokens', content_filter: 'content_filter' };
  const reason = reasons[reply.finishReason ?? ''];
  return {
    id: 'resp_scripted',
    object: 'response',
    created_at: created,
    model,
    status: reason ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: reason ? { reason } : null,
    output: [
      ...(reply.thinking === undefined ? [] : [reasoningItem(reply)]),
      ...(reply.text === undefined ? [] : [messageItem(textOf(reply))]),
      ...callsOf(reply).map((call, index) => callItem(call, index, argumentsText(call))),
    ],
    usage:
      reply.usage === null
        ? null
        : {
            input_tokens: inputTokens,
            input_tokens_details: { cached_tokens: cachedTokens },
            output_tokens: outputTokens,
            output_tokens_details: { reasoning_tokens: reasoningTokens },
            total_tokens: inputTokens + outputTokens,
          },
  };
}

export const scriptedResponses: ScriptedWire = {
  begin: (_reply, { model }) => [
    { type: 'response.created', response: { id: 'resp_scripted', status: 'in_progress', model, output: [] } },
  ],
  thinking: (reply) =>
    reply.thinking === undefined
      ? []
      : [
          {
            type: 'response.output_item.added',
            output_index: 0,
            item: { id: 'rs_scripted', type: 'reasoning', summary: [] },
          },
          { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 0 },
          ...thoughtsOf(reply).map((delta) => ({
            type: 'response.reasoning_summary_text.delta',
            item_id: 'rs_scripted',
            output_index: 0,
            summary_index: 0,
            delta,
          })),
          { type: 'response.output_item.done', output_index: 0, item: reasoningItem(reply) },
        ],
  beforeText: (reply) =>
    reply.text === undefined
      ? []
      : [
          {
            type: 'response.output_item.added',
            output_index: at(reply).text,
            item: { id: 'msg_scripted', type: 'message', role: 'assistant', content: [] },
          },
        ],
  piece: (delta, reply) => ({
    type: 'response.output_text.delta',
    item_id: 'msg_scripted',
    output_index: at(reply).text,
    content_index: 0,
    delta,
  }),
  end: (reply, scene) => [
    ...(reply.text === undefined
      ? []
      : [
          {
            type: 'response.output_item.done',
            output_index: at(reply).text,
            item: messageItem(textOf(reply)),
          },
        ]),
    ...callsOf(reply).flatMap((call, index) => {
      const output_index = at(reply).calls + index;
      const delta = 'response.function_call_arguments.delta';
      return [
        { type: 'response.output_item.added', output_index, item: callItem(call, index, '') },
        ...halves(argumentsText(call)).map((piece) => ({ type: delta, output_index, delta: piece })),
        {
          type: 'response.output_item.done',
          output_index,
          item: callItem(call, index, argumentsText(call)),
        },
      ];
    }),
    {
      type: ['length', 'content_filter'].includes(reply.finishReason ?? '')
        ? 'response.incomplete'
        : 'response.completed',
      response: responseBody(reply, scene),
    },
  ],
  error: (error) => ({ type: 'response.failed', response: { status: 'failed', error } }),
  document: responseBody,
};

function messageUsage(reply: ScriptedReply): object {
  const { inputTokens, cachedTokens, cacheWriteTokens } = usageOf(reply);
  return {
    input_tokens: inputTokens - (cachedTokens ?? 0) - (cacheWriteTokens ?? 0),
    ...(cachedTokens !== undefined && { cache_read_input_tokens: cachedTokens }),
    ...(cacheWriteTokens !== undefined && { cache_creation_input_tokens: cacheWriteTokens }),
  };
}

const outputUsage = (reply: ScriptedReply): object => {
  const { outputTokens, reasoningTokens } = usageOf(reply);
  return {
    output_tokens: outputTokens,
    ...(reasoningTokens !== undefined && { output_tokens_details: { thinking_tokens: reasoningTokens } }),
  };
};

const stopReasons: Readonly<Record<string, string>> = { length: 'max_tokens', content_filter: 'refusal' };

const stopReason = (reply: ScriptedReply): string =>
  stopReasons[reply.finishReason ?? ''] ?? (callsOf(reply).length > 0 ? 'tool_use' : 'end_turn');

const signatureOf = (reply: ScriptedReply): string => reply.signature ?? 'scripted/signature+of/thinking==';

export const scriptedAnthropic: ScriptedWire = {
  begin: (reply, { model }) => [
    {
      type: 'message_start',
      message: {
        id: 'msg_scripted',
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        usage: reply.usage === null ? null : { ...messageUsage(reply), output_tokens: 0 },
      },
    },
    { type: 'ping' },
  ],
  thinking: (reply) =>
    reply.thinking === undefined
      ? []
      : [
          {
            type: 'content_block_start',
            index: 0,
            content_block: { type: 'thinking', thinking: '', signature: '' },
          },
          ...thoughtsOf(reply).map((thinking) => ({
            type: 'content_block_delta',
            index: 0,
            delta: { type: 'thinking_delta', thinking },
          })),
          {
            type: 'content_block_delta',
            index: 0,
            delta: { type: 'signature_delta', signature: signatureOf(reply) },
          },
          { type: 'content_block_stop', index: 0 },
        ],
  beforeText: (reply) =>
    reply.text === undefined
      ? []
      : [{ type: 'content_block_start', index: at(reply).text, content_block: { type: 'text', text: '' } }],
  piece: (text, reply) => ({
    type: 'content_block_delta',
    index: at(reply).text,
    delta: { type: 'text_delta', text },
  }),
  end: (reply) => [
    ...(reply.text === undefined ? [] : [{ type: 'content_block_stop', index: at(reply).text }]),
    ...callsOf(reply).flatMap((call, order) => {
      const index = at(reply).calls + order;
      const block = { type: 'tool_use', id: callId(call, order), name: call.name, input: {} };
      return [
        { type: 'content_block_start', index, content_block: block },
        ...halves(argumentsText(call)).map((partial_json) => ({
          type: 'content_block_delta',
          index,
          delta: { type: 'input_json_delta', partial_json },
        })),
        { type: 'content_block_stop', index },
      ];
    }),
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason(reply), stop_sequence: null },
      usage: reply.usage === null ? null : outputUsage(reply),
    },
    { type: 'message_stop' },
  ],
  error: (error) => ({ type: 'error', error }),
  document: (reply, { model }) => ({
    id: 'msg_scripted',
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(reply.thinking === undefined
        ? []
        : [{ type: 'thinking', thinking: thoughtsOf(reply).join(''), signature: signatureOf(reply) }]),
      ...(reply.text === undefined ? [] : [{ type: 'text', text: textOf(reply) }]),
      ...callsOf(reply).map((call, index) => ({
        type: 'tool_use',
        id: callId(call, index),
        name: call.name,
        input: call.arguments,
      })),
    ],
    stop_reason: stopReason(reply),
    usage: reply.usage === null ? null : { ...messageUsage(reply), ...outputUsage(reply) },
  }),
};

/** The protocol of a request, by its path; null when it is none of them. */
export function scriptedWireOf(path: string): ScriptedWire | null {
  if (path.endsWith('/chat/completions')) return scriptedChat;
  if (path.endsWith('/responses')) return scriptedResponses;
  return path.endsWith('/v1/messages') ? scriptedAnthropic : null;
}
