import type { ModelImage, ModelMessage } from '../../../core/ports/llm';

export const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

/** The images of a request, in order. */
export const imagesOf = (messages: readonly ModelMessage[]): readonly ModelImage[] =>
  messages.flatMap((message) => ('images' in message ? (message.images ?? []) : []));

/**
 * The images before the text of each message. Protocols take images from the user only: those of the system
 * message precede the text of the first user message, each with its label, and those of a line precede its own
 * text. The text stays a separate part of the same message: models that require alternating roles would refuse
 * two user messages in a row.
 */
export function imagesBefore(messages: readonly ModelMessage[]): readonly (readonly ModelImage[])[] {
  const first = messages.findIndex(({ role }) => role === 'user');
  const system = imagesOf(messages.filter(({ role }) => role === 'system'));
  return messages.map((message, at) => {
    const own = message.role === 'user' ? (message.images ?? []) : [];
    return [...(at === first ? system : []), ...own];
  });
}
