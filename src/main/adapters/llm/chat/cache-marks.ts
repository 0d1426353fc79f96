import type { ChatCompletionMessageParam } from 'openai/resources';

/**
 * The messages with two marks of the cache, as Anthropic's own protocol has them: after the system message, and at the
 * last block.
 */
export function withCacheMarks(
  messages: readonly ChatCompletionMessageParam[],
): ChatCompletionMessageParam[] {
  const system = messages.findLastIndex(({ role }) => role === 'system');
  return messages.map((message, at) =>
    at === system || at === messages.length - 1 ? marked(message) : message,
  );
}

/** Marks the last block of a message; one without text has none. */
function marked(message: ChatCompletionMessageParam): ChatCompletionMessageParam {
  const { content } = message;
  const text = typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
  const blocks: readonly object[] = Array.isArray(content) ? content : text;
  const last = blocks.at(-1);
  if (last === undefined) return message;
  const end = { ...last, cache_control: { type: 'ephemeral' } };
  return { ...message, content: [...blocks.slice(0, -1), end] } as ChatCompletionMessageParam;
}
