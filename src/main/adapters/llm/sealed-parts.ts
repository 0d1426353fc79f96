import { isObject } from '#shared/json';
import type { ModelRef, WireName } from '#shared/model';
import type { MessagePart } from '#shared/run-fact';
import type { ModelMessage } from '../../../core/ports/llm';

/** Notes beside a part's opaque data which model and protocol it belongs to. */
export function sealedParts(
  parts: readonly MessagePart[],
  wire: WireName,
  { providerId, model }: ModelRef,
): readonly MessagePart[] {
  return parts.map((part) =>
    part.provider === undefined
      ? part
      : { ...part, provider: { wire, providerId, model, data: part.provider } },
  );
}

/**
 * The messages as `wire` and `model` may receive them: the opaque data of other models and protocols is left
 * out, and with it their thinking, which they could neither check nor use.
 */
export function openedMessages(
  messages: readonly ModelMessage[],
  wire: WireName,
  model: ModelRef,
): readonly ModelMessage[] {
  return messages.map((message) => {
    if (message.role !== 'assistant' || !message.parts) return message;
    return { ...message, parts: message.parts.flatMap((part) => openedPart(part, wire, model)) };
  });
}

function openedPart(part: MessagePart, wire: WireName, model: ModelRef): readonly MessagePart[] {
  const { provider, ...plain } = part;
  const own =
    provider !== undefined &&
    isObject(provider) &&
    provider['wire'] === wire &&
    provider['providerId'] === model.providerId &&
    provider['model'] === model.model;
  if (own && provider['data'] !== undefined) return [{ ...part, provider: provider['data'] }];
  return plain.type === 'thinking' ? [] : [plain];
}
