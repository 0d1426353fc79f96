import { createHash } from 'node:crypto';
import type { WireName } from '#shared/model';
import type { CallIdForm, OptionalPart } from '#shared/provider-row';
import type { MessagePart } from '#shared/run-fact';
import type { ModelMessage } from '../../../core/ports/llm';
import type { Endpoint } from './failure';

const forms: Readonly<Record<CallIdForm, RegExp>> = {
  any: /^/,
  'up-to-40': /^[^]{1,40}$/,
  'up-to-64': /^[^]{1,64}$/,
  word: /^[a-zA-Z0-9_-]+$/,
  nine: /^[a-zA-Z0-9]{9}$/,
};

/** The form that a protocol itself requires; servers of chat completions differ. */
const wireForms: Readonly<Record<Exclude<WireName, 'chat'>, CallIdForm>> = {
  responses: 'up-to-64',
  anthropic: 'word',
};

/** The form of the ids of calls that a server takes for a model. */
export function callIdForm(
  { wire, callIds = {} }: Pick<Endpoint, 'wire' | 'callIds'>,
  model: string,
  refused: ReadonlySet<OptionalPart>,
): CallIdForm {
  // It fits every other one.
  if (refused.has('call_ids')) return 'nine';
  if (wire !== 'chat') return wireForms[wire];
  return Object.entries(callIds).find(([start]) => model.startsWith(start))?.[1] ?? 'any';
}

/**
 * The messages with ids of calls of one form: an id of another form is replaced, by the same one in a call and its
 * result. Such ids come from other providers, or are Patina's.
 */
export function withCallIds(messages: readonly ModelMessage[], form: CallIdForm): readonly ModelMessage[] {
  return messages.map((message) => withIds(message, form));
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
    return before === 0 ? id : hashedId(`${id} ${before}`, idLength);
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

function withIds(message: ModelMessage, form: CallIdForm): ModelMessage {
  if (message.role === 'tool') return { ...message, toolCallId: fitting(message.toolCallId, form) };
  if (message.role !== 'assistant') return message;
  const { toolCalls, parts } = message;
  const part = (one: MessagePart) => (one.type === 'call' ? { ...one, id: fitting(one.id, form) } : one);
  return {
    ...message,
    ...(toolCalls && { toolCalls: toolCalls.map((call) => ({ ...call, id: fitting(call.id, form) })) }),
    ...(parts && { parts: parts.map(part) }),
  };
}

const fitting = (id: string, form: CallIdForm): string =>
  forms[form].test(id) ? id : hashedId(id, form === 'nine' ? 9 : idLength);

const hashedId = (id: string, length: number): string =>
  createHash('sha256').update(id).digest('hex').slice(0, length);
