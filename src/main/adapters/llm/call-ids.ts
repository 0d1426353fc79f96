import { createHash } from 'node:crypto';
import type { MessagePart } from '#shared/run-fact';
import type { ModelMessage } from '../../../core/ports/llm';

/**
 * The messages with ids of calls that a server with a fixed length takes: an id of other letters or another length
 * becomes one of its own, the same in a call and its result. Such ids come from other providers, or are Patina's.
 */
export function withCallIds(
  messages: readonly ModelMessage[],
  length: number | undefined,
): readonly ModelMessage[] {
  return length === undefined ? messages : messages.map((message) => withIds(message, length));
}

/**
 * The messages with an id for each call that no earlier call of the request has. Some servers count their calls from 0
 * in every reply, or give all calls of a reply one id; others refuse a request in which two calls are called the same.
 * The results of a reply follow it in the order of its calls.
 */
export function withUniqueCallIds(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const used = new Map<string, number>();
  const renamed = new Map<string, string[]>();
  const next = (id: string): string => {
    const before = used.get(id) ?? 0;
    used.set(id, before + 1);
    return before === 0 ? id : fitting(`${id} ${before}`, idLength);
  };
  return messages.map((message) => {
    if (message.role === 'tool') {
      const toolCallId = renamed.get(message.toolCallId)?.shift();
      return toolCallId === undefined ? message : { ...message, toolCallId };
    }
    if (message.role !== 'assistant') return message;
    renamed.clear();
    const ids = (message.toolCalls ?? []).map(({ id }) => ({ id, unique: next(id) }));
    for (const { id, unique } of ids) renamed.set(id, [...(renamed.get(id) ?? []), unique]);
    return ids.every(({ id, unique }) => id === unique)
      ? message
      : named(
          message,
          ids.map((one) => one.unique),
        );
  });
}

const idLength = 24;

/** A message whose calls have these ids, in their order. */
function named(message: Extract<ModelMessage, { role: 'assistant' }>, ids: readonly string[]): ModelMessage {
  let at = 0;
  const { toolCalls = [], parts } = message;
  return {
    ...message,
    toolCalls: toolCalls.map((call, index) => ({ ...call, id: ids[index] ?? call.id })),
    ...(parts && {
      parts: parts.map((part) => (part.type === 'call' ? { ...part, id: ids[at++] ?? part.id } : part)),
    }),
  };
}

function withIds(message: ModelMessage, length: number): ModelMessage {
  if (message.role === 'tool') return { ...message, toolCallId: fitting(message.toolCallId, length) };
  if (message.role !== 'assistant') return message;
  const { toolCalls, parts } = message;
  const part = (one: MessagePart) => (one.type === 'call' ? { ...one, id: fitting(one.id, length) } : one);
  return {
    ...message,
    ...(toolCalls && { toolCalls: toolCalls.map((call) => ({ ...call, id: fitting(call.id, length) })) }),
    ...(parts && { parts: parts.map(part) }),
  };
}

function fitting(id: string, length: number): string {
  if (id.length === length && /^[a-zA-Z0-9]+$/.test(id)) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, length);
}
