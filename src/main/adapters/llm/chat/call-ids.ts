import { createHash } from 'node:crypto';
import type { MessagePart } from '#shared/run-fact';
import type { ModelMessage } from '../../../../core/ports/llm';

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
