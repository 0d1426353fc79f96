import { z } from 'zod';
import type { JsonObject } from '#shared/json';
import type { MessagePart } from '#shared/run-fact';
import type { ModelToolCall, ReplyTokens } from '../../../../core/ports/llm';
import {
  createTextFlow,
  maxToolCalls,
  parsedJson,
  reportedTokens,
  wholeTokens,
  type ReplyAssembly,
  type ReplyOutcome,
  type WireEvent,
} from '../wire';

const text = z.string().nullish();

const ContentBlock = z.object({
  type: z.string(),
  text,
  thinking: text,
  signature: text,
  /** Thinking that the provider encrypted. */
  data: text,
  id: text,
  name: text,
  input: z.unknown().optional(),
});
type ContentBlock = z.infer<typeof ContentBlock>;

const count = z.number().nullish();

// An unreadable token count must not fail the reply.
const MessageUsage = z
  .object({
    input_tokens: count,
    output_tokens: count,
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
    output_tokens_details: z.object({ thinking_tokens: count }).nullish().catch(null),
  })
  .nullish()
  .catch(null);
type MessageUsage = NonNullable<z.infer<typeof MessageUsage>>;

const MessageBody = z.object({
  content: z.array(ContentBlock).nullish(),
  stop_reason: text,
  usage: MessageUsage,
});

const BlockDelta = z.object({
  type: text,
  text,
  partial_json: text,
  thinking: text,
  signature: text,
  stop_reason: text,
});

/** An event of a streamed message; events of other types are ignored. */
const MessageEvent = z.object({
  type: z.string(),
  index: z.number().int().nonnegative().max(10_000).nullish(),
  message: MessageBody.nullish(),
  content_block: ContentBlock.nullish(),
  delta: BlockDelta.nullish(),
  usage: MessageUsage,
  error: z.unknown().optional(),
});
type MessageEvent = z.infer<typeof MessageEvent>;

interface GrowingBlock {
  readonly at: number;
  readonly block: ContentBlock;
  readonly pieces: string[];
  /** Null: the block names none. */
  signature: string | null;
}

/** Assembles a reply of the Messages API. */
export function createMessageAssembly(): ReplyAssembly {
  const blocks: GrowingBlock[] = [];
  /** The newest block of each index: some servers give every block the same. */
  const open = new Map<number, GrowingBlock>();
  const flow = createTextFlow();
  let counted: MessageUsage = {};
  let stop: string | null = null;
  let length = 0;

  /** A block may begin with content of its own. */
  const begin = (at: number, block: ContentBlock): WireEvent => {
    const growing: GrowingBlock = { at, block, pieces: [], signature: block.signature ?? null };
    blocks.push(growing);
    open.set(at, growing);
    length += (block.data ?? '').length;
    if (block.type === 'text') return grow(growing, block.text ?? '');
    if (block.type === 'thinking') return grow(growing, block.thinking ?? '');
    return {};
  };
  const grow = (growing: GrowingBlock, piece: string): WireEvent => {
    length += piece.length;
    growing.pieces.push(piece);
    if (growing.block.type === 'text') return { text: flow.pass(piece) };
    return growing.block.type === 'thinking' ? { thinking: piece } : {};
  };
  const extend = (at: number, delta: z.infer<typeof BlockDelta>): WireEvent => {
    if (!open.has(at)) begin(at, { type: kindOf(delta) });
    const growing = open.get(at);
    if (!growing) return {};
    if (delta.signature) growing.signature = (growing.signature ?? '') + delta.signature;
    length += delta.signature?.length ?? 0;
    return grow(growing, delta.text ?? delta.partial_json ?? delta.thinking ?? '');
  };
  const note = (usage: MessageUsage | null | undefined): void => {
    const known = Object.entries(usage ?? {}).flatMap(([name, value]) => {
      if (value === null || value === undefined) return [];
      const before = counted[name as keyof MessageUsage];
      // Counts only grow: a later report of nothing takes none back.
      const grown =
        typeof value === 'number' && typeof before === 'number'
          ? Math.max(wholeTokens(before), wholeTokens(value))
          : value;
      return [[name, grown] as const];
    });
    counted = { ...counted, ...Object.fromEntries(known) };
  };
  const close = (event: MessageEvent): WireEvent => {
    note(event.usage);
    stop = event.delta?.stop_reason ?? stop;
    return {};
  };
  const accept = (event: MessageEvent): WireEvent => {
    const { index, delta, content_block: block } = event;
    const at = index ?? 0;
    switch (event.type) {
      case 'message_start':
        note(event.message?.usage);
        return {};
      case 'content_block_start':
        return block ? begin(at, block) : {};
      case 'content_block_delta':
        return delta ? extend(at, delta) : {};
      case 'message_delta':
        return close(event);
      case 'message_stop':
        return { done: true };
      case 'error':
        return { error: event.error ?? {} };
      default:
        return {};
    }
  };
  const read = (data: string): WireEvent | null => {
    if (data.trim() === '[DONE]') return { done: true };
    const parsed = MessageEvent.safeParse(parsedJson(data));
    return parsed.success ? accept(parsed.data) : bareError(data);
  };
  const readDocument = (json: string): WireEvent | null => {
    const parsed = MessageBody.extend({ content: z.array(ContentBlock) }).safeParse(parsedJson(json));
    if (!parsed.success) return bareError(json);
    note(parsed.data.usage);
    stop = parsed.data.stop_reason ?? 'end_turn';
    const events = parsed.data.content.map((block, at) => begin(at, block));
    return {
      text: events.map((event) => event.text ?? '').join(''),
      thinking: events.map((event) => event.thinking ?? '').join(''),
      done: true,
    };
  };
  const end = (done: boolean): ReplyOutcome => {
    if (stop === 'max_tokens' || stop === 'model_context_window_exceeded') return { type: 'cut' };
    if (stop === 'refusal') return { type: 'filtered' };
    if (!done && stop === null) return { type: 'unfinished', came: flow.any() };
    const all = blocks.toSorted((a, b) => a.at - b.at);
    const made = all.filter(({ block }) => block.type === 'tool_use');
    if (!flow.any() && made.length === 0) {
      return { type: all.some(({ block }) => block.type.endsWith('thinking')) ? 'only-thinking' : 'empty' };
    }
    if (made.some(({ block }) => !block.name)) return { type: 'nameless-call' };
    const parts = all.flatMap((block, at) => partOf(block, at));
    const opaque = parts.some(({ type }) => type === 'thinking');
    return {
      type: 'complete',
      calls: parts.flatMap(callOf),
      usage: tokensOf(counted),
      ...(opaque && { parts }),
    };
  };
  return {
    read,
    readDocument,
    end,
    usage: () => tokensOf(counted),
    length: () => length,
    tooManyCalls: () => blocks.length > maxToolCalls,
  };
}

function kindOf({ type }: z.infer<typeof BlockDelta>): string {
  if (type === 'input_json_delta') return 'tool_use';
  return type === 'thinking_delta' || type === 'signature_delta' ? 'thinking' : 'text';
}

/** A failure that a server reports outside of the protocol's own event. */
function bareError(json: string): WireEvent | null {
  const parsed = z.object({ error: z.unknown() }).safeParse(parsedJson(json));
  return parsed.success && parsed.data.error ? { error: parsed.data.error } : null;
}

function partOf({ block, pieces, signature }: GrowingBlock, at: number): readonly MessagePart[] {
  const whole = pieces.join('');
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: whole }];
    case 'tool_use': {
      const argumentsJson = whole === '' ? JSON.stringify(block.input ?? {}) : whole;
      return [
        { type: 'call', id: block.id ?? `call_${at}`, name: block.name ?? '', arguments: argumentsJson },
      ];
    }
    case 'thinking': {
      // Servers that sign nothing want it back all the same.
      const provider: JsonObject = {
        type: 'thinking',
        thinking: whole,
        ...(signature !== null && { signature }),
      };
      return [{ type: 'thinking', text: whole, provider }];
    }
    case 'redacted_thinking': {
      const provider: JsonObject = { type: 'redacted_thinking', data: block.data ?? '' };
      return [{ type: 'thinking', text: '', provider }];
    }
    default:
      return [];
  }
}

const callOf = (part: MessagePart): readonly ModelToolCall[] =>
  part.type === 'call' ? [{ id: part.id, name: part.name, argumentsJson: part.arguments }] : [];

/** The protocol counts cached input apart; here it is part of the input. */
function tokensOf(usage: MessageUsage): ReplyTokens {
  const cachedTokens = reportedTokens(usage.cache_read_input_tokens);
  const cacheWriteTokens = reportedTokens(usage.cache_creation_input_tokens);
  const reasoningTokens = reportedTokens(usage.output_tokens_details?.thinking_tokens);
  return {
    inputTokens: wholeTokens(usage.input_tokens) + (cachedTokens ?? 0) + (cacheWriteTokens ?? 0),
    outputTokens: wholeTokens(usage.output_tokens),
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}
