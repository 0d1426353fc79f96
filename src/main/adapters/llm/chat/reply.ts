import { isObject, type Json, JsonObject } from '#shared/json';
import type { MessagePart } from '#shared/run-fact';
import type { ModelToolCall, ReplyTokens } from '../../../../core/ports/llm';
import {
  createTextFlow,
  maxToolCalls,
  largerCounts,
  parsedJson,
  reportedTokens,
  wholeTokens,
  type ReplyAssembly,
  type ReplyOutcome,
  type WireEvent,
} from '../wire';
import { z } from 'zod';
import { createThinkTags, type Split } from '../think-tags';

// Lenient on purpose: servers omit, null or add members; a missing member has no meaning, an invalid one
// makes the chunk invalid.
const text = z
  .union([
    z.string(),
    z.array(
      z.object({
        text: z.string().nullish(),
        /** The parts of a thinking block (Mistral). */
        thinking: z
          .array(z.object({ text: z.string().nullish() }))
          .nullish()
          .catch(null),
      }),
    ),
  ])
  .nullish();

/** OpenRouter's form of thinking, which returns as it came. */
const ReasoningDetail = z.looseObject({ type: z.string(), index: z.number().int().nullish() });
type ReasoningDetail = z.infer<typeof ReasoningDetail>;

const ToolCallDelta = z.object({
  index: z.number().int().nonnegative().nullish(),
  id: z.string().nullish(),
  function: z
    .object({
      name: z.string().nullish(),
      arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
    })
    .nullish(),
  /** Gemini signs its calls here; returns as it came. */
  extra_content: JsonObject.nullish().catch(null),
});
type ToolCallDelta = z.infer<typeof ToolCallDelta>;

const Delta = z.object({
  content: text,
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish().catch(null),
  reasoning: z.string().nullish().catch(null),
  reasoning_details: z.array(ReasoningDetail).nullish().catch(null),
  tool_calls: z.array(ToolCallDelta).nullish(),
});
type Delta = z.infer<typeof Delta>;

const ReplyUsage = z.object({
  prompt_tokens: z.number().nullish(),
  completion_tokens: z.number().nullish(),
  /** DeepSeek's name for cached tokens. */
  prompt_cache_hit_tokens: z.number().nullish().catch(null),
  prompt_tokens_details: z
    .object({
      cached_tokens: z.number().nullish(),
      /** OpenRouter's count of what it stored in the cache. */
      cache_write_tokens: z.number().nullish().catch(null),
    })
    .nullish()
    .catch(null),
  completion_tokens_details: z.object({ reasoning_tokens: z.number().nullish() }).nullish().catch(null),
});

/** One event of a streamed chat completion, or a whole completion (`message` in place of `delta`). */
export const ReplyChunk = z.object({
  error: z.unknown().optional(),
  /** Equals `error` when a server reports its failure without wrapping it. */
  object: z.unknown().optional(),
  message: z.unknown().optional(),
  code: z.unknown().optional(),
  choices: z
    .array(
      z.object({
        index: z.number().nullish().catch(null),
        delta: Delta.nullish(),
        message: Delta.nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  // An unreadable token count must not fail the reply.
  usage: ReplyUsage.nullish().catch(null),
});
export type ReplyChunk = z.infer<typeof ReplyChunk>;

/** Assembles a reply of the chat completions API; `accept` takes a parsed chunk. */
export function createReplyAssembly(): ReplyAssembly & { readonly accept: (chunk: ReplyChunk) => WireEvent } {
  const calls = createToolCalls();
  const thinking = createThinking();
  const tags = createThinkTags();
  const flow = createTextFlow();
  const texts: string[] = [];
  let usage: ReplyTokens = { inputTokens: 0, outputTokens: 0 };
  let finish: string | null = null;
  let length = 0;

  const accept = (chunk: ReplyChunk): WireEvent => {
    if (chunk.usage) usage = largerCounts(usage, tokensOf(chunk.usage));
    const choice = chunk.choices?.find(({ index }) => (index ?? 0) === 0);
    finish = choice?.finish_reason ?? finish;
    const delta = choice?.delta ?? choice?.message;
    for (const [at, call] of (delta?.tool_calls ?? []).entries()) length += calls.accept(call, at > 0);
    const named = thinking.accept(delta);
    const content = deltaText(delta);
    length += content.length + named.length;
    const { text, thinking: tagged } = tagless(content);
    thinking.add(tagged);
    const passed = flow.pass(text);
    if (passed !== '') texts.push(passed);
    return { text: passed, thinking: named + tagged };
  };
  /** A server that names the thinking leaves none in the text. */
  const tagless = (content: string): Split =>
    thinking.isNamed() ? { text: content, thinking: '' } : tags(content, finish !== null);
  const read = (data: string): WireEvent | null => {
    if (data.trim() === '[DONE]') return { done: true };
    const parsed = ReplyChunk.safeParse(parsedJson(data));
    if (!parsed.success) return null;
    const error = errorOf(parsed.data);
    return error === null ? accept(parsed.data) : { error };
  };
  const end = (done: boolean): ReplyOutcome => {
    if (finish === 'length') return { type: 'cut' };
    if (finish === 'content_filter') return { type: 'filtered' };
    if (!done && finish === null) return { type: 'unfinished', came: flow.any() };
    if (!flow.any() && calls.isEmpty()) return { type: thinking.any() ? 'only-thinking' : 'empty' };
    const whole = calls.whole();
    if (whole === null) return { type: 'nameless-call' };
    const thoughts = thinking.parts();
    const parts = [...thoughts, ...textPart(texts.join('')), ...calls.parts(whole)];
    const opaque = thoughts.length > 0 || parts.some(({ provider }) => provider !== undefined);
    return { type: 'complete', calls: whole, usage, ...(opaque && { parts }) };
  };
  return {
    accept,
    read,
    readDocument: read,
    end,
    usage: () => usage,
    length: () => length,
    tooManyCalls: calls.tooMany,
  };
}

const textPart = (text: string): readonly MessagePart[] => (text === '' ? [] : [{ type: 'text', text }]);

const errorOf = (chunk: ReplyChunk): unknown => chunk.error ?? (chunk.object === 'error' ? chunk : null);

function deltaText(delta: Delta | null | undefined): string {
  const content = delta?.content;
  const text = Array.isArray(content) ? content.map((part) => part.text ?? '').join('') : (content ?? '');
  return text === '' ? (delta?.refusal ?? '') : text;
}

/**
 * Thinking comes under one of three names, or as a block of the content; it returns under the same one. Thinking in
 * tags does not return.
 */
function createThinking() {
  const texts: string[] = [];
  const details: ReasoningDetail[] = [];
  let field: string | null = null;

  const accept = (delta: Delta | null | undefined): string => {
    for (const detail of delta?.reasoning_details ?? []) addDetail(details, detail);
    const named = namedThinking(delta);
    const { field: from, text } = named.text === '' ? blockThinking(delta) : named;
    if (text === '') return '';
    field = from;
    texts.push(text);
    return text;
  };
  const parts = (): readonly MessagePart[] => {
    const text = texts.join('');
    if (text === '' && details.length === 0) return [];
    if (details.length === 0 && field === null) return [{ type: 'thinking', text }];
    const provider = details.length > 0 ? { details: details as readonly JsonObject[] } : { field };
    return [{ type: 'thinking', text, provider: provider as Json }];
  };
  return {
    accept,
    parts,
    /** Adds thinking that the text contained. */
    add: (text: string) => void (text !== '' && texts.push(text)),
    any: () => texts.length > 0 || details.length > 0,
    isNamed: () => field !== null || details.length > 0,
  };
}

function namedThinking(delta: Delta | null | undefined) {
  const { reasoning_content: content, reasoning } = delta ?? {};
  return content || !reasoning
    ? { field: 'reasoning_content', text: content ?? '' }
    : { field: 'reasoning', text: reasoning };
}

function blockThinking(delta: Delta | null | undefined) {
  const blocks = Array.isArray(delta?.content) ? delta.content : [];
  const texts = blocks.flatMap(({ thinking }) => (thinking ?? []).map(({ text }) => text ?? ''));
  return { field: 'content', text: texts.join('') };
}

/** A streamed detail comes in pieces of one type and index; their texts belong together. */
function addDetail(details: ReasoningDetail[], piece: ReasoningDetail): void {
  const last = details.at(-1);
  if (last?.type !== piece.type || (last.index ?? null) !== (piece.index ?? null)) {
    details.push({ ...piece });
    return;
  }
  for (const [name, value] of Object.entries(piece)) last[name] = grown(name, last[name], value);
}

const growing = new Set(['text', 'summary', 'data']);

function grown(name: string, before: unknown, value: unknown): unknown {
  if (growing.has(name) && typeof before === 'string' && typeof value === 'string') return before + value;
  return value ?? before;
}

interface GrowingCall {
  id: string;
  name: string;
  extra?: JsonObject;
  readonly pieces: string[];
}

/**
 * Servers differ: some send no index, some send index 0 with a different id for every call, some send neither index nor
 * id, some repeat id and name.
 */
function createToolCalls() {
  const calls: GrowingCall[] = [];
  const byIndex = new Map<number, GrowingCall>();
  let overflowed = false;

  /** The call that a piece continues. Without an index and an id, a name begins another one once the last is whole. */
  const knownCall = (
    { id, index, function: called }: ToolCallDelta,
    others: boolean,
  ): GrowingCall | undefined => {
    if (index !== null && index !== undefined) return byIndex.get(index);
    const last = calls.at(-1);
    if (id || !called?.name || !last) return last;
    const lastIsWhole = (): boolean => isObject(parsedJson(last.pieces.join('')) ?? null);
    return others || (called.arguments && lastIsWhole()) ? undefined : last;
  };
  const locate = (delta: ToolCallDelta, others: boolean): GrowingCall | undefined => {
    const id = delta.id ?? '';
    const known = knownCall(delta, others);
    if (known !== undefined && (id === '' || known.id === '' || id === known.id)) return known;
    if (calls.length >= maxToolCalls) {
      overflowed = true;
      return undefined;
    }
    const call: GrowingCall = { id, name: '', pieces: [] };
    calls.push(call);
    byIndex.set(delta.index ?? calls.length - 1, call);
    return call;
  };
  /**
   * Adds a delta of a call, which may follow others of the same event; returns the number of argument characters it
   * added.
   */
  const accept = (delta: ToolCallDelta, others: boolean): number => {
    const call = locate(delta, others);
    if (call === undefined) return 0;
    call.id ||= delta.id ?? '';
    call.name ||= delta.function?.name ?? '';
    if (delta.extra_content) call.extra = delta.extra_content;
    const fragment = delta.function?.arguments ?? '';
    const piece = typeof fragment === 'string' ? fragment : JSON.stringify(fragment);
    call.pieces.push(piece);
    return piece.length;
  };
  const whole = (): readonly ModelToolCall[] | null => {
    if (calls.some((call) => call.name === '')) return null;
    return calls.map((call, index) => ({
      id: call.id === '' ? `call_${index}` : call.id,
      name: call.name,
      argumentsJson: call.pieces.join('') || '{}',
    }));
  };
  const parts = (made: readonly ModelToolCall[]): readonly MessagePart[] =>
    made.map(({ id, name, argumentsJson }, index) => {
      const extra = calls[index]?.extra;
      return { type: 'call', id, name, arguments: argumentsJson, ...(extra && { provider: extra }) };
    });
  return { accept, whole, parts, isEmpty: () => calls.length === 0, tooMany: () => overflowed };
}

function tokensOf(usage: NonNullable<ReplyChunk['usage']>): ReplyTokens {
  const cachedTokens = reportedTokens(
    usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens,
  );
  const cacheWriteTokens = reportedTokens(usage.prompt_tokens_details?.cache_write_tokens);
  const reasoningTokens = reportedTokens(usage.completion_tokens_details?.reasoning_tokens);
  return {
    inputTokens: wholeTokens(usage.prompt_tokens),
    outputTokens: wholeTokens(usage.completion_tokens),
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}
