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
  messages.flatMap((message) => ('images' in message ? (message.images ?? []) : []));

/**
 * Places the images of a request. The chat API takes images from the user only: those of the system message
 * precede the text of the first user message, each with its label, and those of a line precede its own text.
 * The text stays a separate part of the same message: models that require alternating roles would refuse two
 * user messages in a row.
 */
export function withImages(
  messages: readonly ModelMessage[],
  wire: (message: ModelMessage) => ChatCompletionMessageParam,
): ChatCompletionMessageParam[] {
  const first = messages.findIndex(({ role }) => role === 'user');
  const system = imagesOf(messages.filter(({ role }) => role === 'system'));
  return messages.map((message, at) => {
    const own = message.role === 'user' ? (message.images ?? []) : [];
    const parts = [...(at === first ? system : []), ...own].flatMap(partsOf);
    return parts.length > 0
      ? { role: 'user', content: [...parts, { type: 'text', text: message.content }] }
      : wire(message);
  });
}
