import type { ChatCompletionContentPart, ChatCompletionMessageParam } from 'openai/resources';
import type { ModelImage, ModelMessage } from '../../../core/ports/llm';

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

const partsOf = ({ label, mediaType, bytes }: ModelImage): readonly ChatCompletionContentPart[] => [
  { type: 'text', text: label },
  { type: 'image_url', image_url: { url: `data:${mediaType};base64,${base64(bytes)}` } },
];

/** The images of a request, in order. */
export const imagesOf = (messages: readonly ModelMessage[]): readonly ModelImage[] =>
  messages.flatMap((message) => (message.role === 'system' ? (message.images ?? []) : []));

/**
 * Moves the system message's images into the conversation. The chat API takes images from the user only, so
 * they follow the system message, each with its label, and precede the text of the first user message. That
 * text stays a separate part of the same message: models that require alternating roles would refuse two user
 * messages in a row.
 */
export function withImages(
  messages: readonly ModelMessage[],
  wire: (message: ModelMessage) => ChatCompletionMessageParam,
): ChatCompletionMessageParam[] {
  const parts = imagesOf(messages).flatMap(partsOf);
  const first = messages.findIndex(({ role }) => role === 'user');
  return messages.map((message, at) =>
    parts.length > 0 && at === first
      ? { role: 'user', content: [...parts, { type: 'text', text: message.content }] }
      : wire(message),
  );
}
