import type { ModelToolCall, ReplyTokens } from '../../../core/ports/llm';
import type { Delta, ReplyChunk, ToolCallDelta } from './reply-chunk';

/** More calls than this in one reply are a loop, not a plan. */
const maxToolCalls = 128;

interface GrowingCall {
  id: string;
  name: string;
  readonly parts: string[];
}

/** How a reply ended after its last chunk. */
export type ReplyOutcome =
  | { readonly type: 'complete'; readonly calls: readonly ModelToolCall[]; readonly usage: ReplyTokens }
  /** The stream closed before the model reported its end. */
  | { readonly type: 'unfinished'; readonly came: boolean }
  | { readonly type: 'empty' }
  /** The model stopped at its output limit. */
  | { readonly type: 'cut' }
  /** The provider's filter stopped the reply. */
  | { readonly type: 'filtered' }
  | { readonly type: 'nameless-call' };

/**
 * Assembles a reply from its chunks. `accept` returns the text to forward now; it buffers a high surrogate at
 * the end of a chunk until the low surrogate arrives, so that every forwarded text is well-formed. Token
 * counts are the server's, 0 if it sends none.
 */
export function createReplyAssembly() {
  const calls = createToolCalls();
  let usage: ReplyTokens = { inputTokens: 0, outputTokens: 0 };
  let finish: string | null = null;
  let held = '';
  let anyText = false;
  let length = 0;

  const accept = (chunk: ReplyChunk): string => {
    if (chunk.usage) usage = tokensOf(chunk.usage);
    const choice = chunk.choices?.[0];
    finish = choice?.finish_reason ?? finish;
    return acceptDelta(choice?.delta ?? choice?.message);
  };
  const acceptDelta = (delta: Delta | null | undefined): string => {
    for (const call of delta?.tool_calls ?? []) length += calls.accept(call);
    const text = deltaText(delta);
    length += text.length;
    return pass(text);
  };
  const pass = (piece: string): string => {
    const text = held + piece;
    held = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : '';
    const whole = text.slice(0, text.length - held.length);
    anyText ||= whole !== '';
    return whole;
  };
  const end = (done: boolean): ReplyOutcome => {
    if (finish === 'length') return { type: 'cut' };
    if (finish === 'content_filter') return { type: 'filtered' };
    if (!done && finish === null) return { type: 'unfinished', came: anyText };
    if (!anyText && calls.isEmpty()) return { type: 'empty' };
    const whole = calls.whole();
    return whole === null ? { type: 'nameless-call' } : { type: 'complete', calls: whole, usage };
  };
  return { accept, end, usage: () => usage, length: () => length, tooManyCalls: calls.tooMany };
}

function deltaText(delta: Delta | null | undefined): string {
  const content = delta?.content;
  const text = Array.isArray(content) ? content.map((part) => part.text ?? '').join('') : (content ?? '');
  return text === '' ? (delta?.refusal ?? '') : text;
}

/**
 * Servers differ: some send no index, some send index 0 with a different id for every call, some repeat id
 * and name.
 */
function createToolCalls() {
  const calls: GrowingCall[] = [];
  const byIndex = new Map<number, GrowingCall>();
  let overflowed = false;

  const locate = (delta: ToolCallDelta): GrowingCall | undefined => {
    const id = delta.id ?? '';
    const known = delta.index === null || delta.index === undefined ? calls.at(-1) : byIndex.get(delta.index);
    if (known !== undefined && (id === '' || known.id === '' || id === known.id)) return known;
    if (calls.length >= maxToolCalls) {
      overflowed = true;
      return undefined;
    }
    const call: GrowingCall = { id, name: '', parts: [] };
    calls.push(call);
    byIndex.set(delta.index ?? calls.length - 1, call);
    return call;
  };
  /** Adds a delta of a call; returns the number of argument characters it added. */
  const accept = (delta: ToolCallDelta): number => {
    const call = locate(delta);
    if (call === undefined) return 0;
    call.id ||= delta.id ?? '';
    call.name ||= delta.function?.name ?? '';
    const given = delta.function?.arguments ?? '';
    const part = typeof given === 'string' ? given : JSON.stringify(given);
    call.parts.push(part);
    return part.length;
  };
  const whole = (): readonly ModelToolCall[] | null => {
    if (calls.some((call) => call.name === '')) return null;
    return calls.map((call, index) => ({
      id: call.id === '' ? `call_${index}` : call.id,
      name: call.name,
      argumentsJson: call.parts.join('') || '{}',
    }));
  };
  return { accept, whole, isEmpty: () => calls.length === 0, tooMany: () => overflowed };
}

function tokensOf(usage: NonNullable<ReplyChunk['usage']>): ReplyTokens {
  const cachedTokens = reportedTokens(usage.prompt_tokens_details?.cached_tokens);
  const reasoningTokens = reportedTokens(usage.completion_tokens_details?.reasoning_tokens);
  return {
    inputTokens: wholeTokens(usage.prompt_tokens),
    outputTokens: wholeTokens(usage.completion_tokens),
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}

/** A count of details; undefined when the provider left it out. */
const reportedTokens = (count: number | null | undefined): number | undefined =>
  typeof count === 'number' ? wholeTokens(count) : undefined;

function wholeTokens(count: number | null | undefined): number {
  return typeof count === 'number' && Number.isFinite(count) && count > 0 ? Math.floor(count) : 0;
}
