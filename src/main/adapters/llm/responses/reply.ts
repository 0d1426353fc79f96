import { z } from 'zod';
import { Json } from '#shared/json';
import type { MessagePart } from '#shared/run-fact';
import type { ModelToolCall, ReplyTokens } from '../../../../core/ports/llm';
import { createThinkTags } from '../think-tags';
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

const Texts = z.array(z.looseObject({ text: z.string().nullish(), refusal: z.string().nullish() })).nullish();

/** An item of a response's output; reasoning keeps all of its members, because it returns as it came. */
const Item = z.looseObject({
  type: z.string(),
  id: z.string().nullish().catch(null),
  call_id: z.string().nullish(),
  name: z.string().nullish(),
  arguments: z.string().nullish(),
  content: Texts,
  summary: Texts,
  encrypted_content: z.string().nullish(),
});
type Item = z.infer<typeof Item>;

const ResponseUsage = z.object({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  input_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish().catch(null),
  output_tokens_details: z.object({ reasoning_tokens: z.number().nullish() }).nullish().catch(null),
});

const ResponseBody = z.object({
  status: z.string().nullish(),
  error: z.unknown().optional(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  output: z.array(Item).nullish(),
  // An unreadable token count must not fail the reply.
  usage: ResponseUsage.nullish().catch(null),
});
type ResponseBody = z.infer<typeof ResponseBody>;

const index = z.number().int().nonnegative().max(10_000);

/** An event of a streamed response; events of other types are ignored. */
const ResponseEvent = z.object({
  type: z.string(),
  output_index: index.nullish(),
  item_id: z.string().nullish().catch(null),
  delta: z.unknown().optional(),
  item: Item.nullish(),
  response: ResponseBody.nullish(),
  error: z.unknown().optional(),
  code: z.unknown().optional(),
  message: z.unknown().optional(),
});
type ResponseEvent = z.infer<typeof ResponseEvent>;

interface GrowingItem {
  readonly at: number;
  item: Item;
  /** What was streamed of it: text, summary or arguments. */
  readonly pieces: string[];
  /** Of a message: its text, and the thinking in tags before it. */
  readonly words: { text: string; thinking: string };
  whole: boolean;
}

/** Whether an item may be another one as it was at its beginning. */
const isSame = (one: Item, other: Item): boolean =>
  one.type === other.type && (!one.call_id || !other.call_id || one.call_id === other.call_id);

type ItemAddress = Pick<ResponseEvent, 'output_index' | 'item_id'>;

/**
 * The items of a response. Events name theirs by an id and an index. Servers leave out either, give every item the same
 * index, or list the items under other ids at the end; so an item is also known by its type and its place in the order.
 */
function createItems() {
  const items: GrowingItem[] = [];
  const newest = new Map<number, GrowingItem>();
  const byId = new Map<string, GrowingItem>();

  const make = (address: ItemAddress, item: Item): GrowingItem => {
    const at = address.output_index ?? items.length;
    const made: GrowingItem = { at, item, pieces: [], words: { text: '', thinking: '' }, whole: false };
    items.push(made);
    newest.set(at, made);
    const id = item.id || address.item_id;
    if (id) byId.set(id, made);
    return made;
  };
  /** The item at an address that still grows. */
  const open = ({ output_index: at, item_id: id }: ItemAddress, type: string): GrowingItem | undefined => {
    const found = (id && byId.get(id)) || (typeof at === 'number' ? newest.get(at) : items.at(-1));
    return found && !found.whole && found.item.type === type ? found : undefined;
  };
  const ofItem = (address: ItemAddress, { id, type }: Item): GrowingItem | undefined =>
    open({ ...address, item_id: id }, type);
  return {
    all: (): readonly GrowingItem[] => items,
    growing: (address: ItemAddress, type: string): GrowingItem =>
      open(address, type) ?? make(address, { type }),
    begin(address: ItemAddress, item: Item): void {
      const known = ofItem(address, item);
      // What came before its beginning is the same item; another beginning is another one.
      if (known && !known.item.id && !known.item.name) known.item = item;
      else make(address, item);
    },
    ended(address: ItemAddress, item: Item): GrowingItem {
      const before = item.id ? byId.get(item.id) : undefined;
      const repeated = before?.whole && before.item.call_id === item.call_id ? before : undefined;
      return repeated ?? ofItem(address, item) ?? make(address, item);
    },
    listed(at: number, item: Item): GrowingItem {
      const candidates = [item.id ? byId.get(item.id) : undefined, newest.get(at), items[at]];
      const known = candidates.find((one) => one && isSame(one.item, item));
      return known ?? make({ output_index: at }, item);
    },
  };
}

/** Assembles a reply of the Responses API. */
export function createResponseAssembly(): ReplyAssembly {
  const items = createItems();
  const flow = createTextFlow();
  const tags = createThinkTags();
  let message: GrowingItem | null = null;
  let named: boolean | null = null;
  let usage: ReplyTokens = { inputTokens: 0, outputTokens: 0 };
  let status: 'completed' | 'cut' | 'filtered' | null = null;
  let length = 0;

  const grow = (event: ResponseEvent, type: string): { growing: GrowingItem; piece: string } => {
    const piece = typeof event.delta === 'string' ? event.delta : '';
    length += piece.length;
    const growing = items.growing(event, type);
    growing.pieces.push(piece);
    return { growing, piece };
  };
  const text = (growing: GrowingItem, piece: string, isLast = false): WireEvent => {
    message = growing;
    // A server that names the thinking leaves none in the text.
    named ??= items.all().some(({ item }) => item.type === 'reasoning');
    const split = named ? { text: piece, thinking: '' } : tags(piece, isLast);
    growing.words.text += split.text;
    growing.words.thinking += split.thinking;
    return { text: flow.pass(split.text), thinking: split.thinking };
  };
  /** Passes on what the last message held back. */
  const rest = (): WireEvent => (message ? text(message, '', true) : {});

  /** A finished item is authoritative; parts of it that were not streamed are passed on now. */
  const finish = (growing: GrowingItem, item: Item): WireEvent => {
    if (growing.whole) return {};
    const streamed = growing.pieces.join('');
    growing.item = item;
    growing.whole = true;
    if (item.type === 'reasoning') length += (item.encrypted_content ?? '').length;
    const all = wordsOf(item);
    const unsent = streamed === '' ? all : '';
    length += unsent.length;
    if (streamed === '') growing.pieces.push(all);
    if (item.type === 'message') return text(growing, unsent, true);
    return item.type === 'reasoning' ? { thinking: unsent } : {};
  };

  const end = (response: ResponseBody | null | undefined): WireEvent => {
    if (!response) return {};
    if (response.usage) usage = tokensOf(response.usage);
    const left = [...(response.output ?? []).map((item, at) => finish(items.listed(at, item), item)), rest()];
    const event = {
      text: left.map((one) => one.text ?? '').join(''),
      thinking: left.map((one) => one.thinking ?? '').join(''),
      done: true,
    };
    const reason = response.incomplete_details?.reason;
    status = reason === 'content_filter' ? 'filtered' : reason ? 'cut' : 'completed';
    return event;
  };

  const accept = (event: ResponseEvent): WireEvent => {
    const { type, item } = event;
    switch (type) {
      case 'response.output_item.added':
        if (item) items.begin(event, item);
        return {};
      case 'response.reasoning_summary_part.added':
        return secondPart(event);
      case 'response.output_item.done':
        return item ? finish(items.ended(event, item), item) : {};
      case 'response.completed':
      case 'response.incomplete':
        return end(event.response);
      case 'response.failed':
      case 'error':
        return { error: failureOf(event) };
      default:
        return acceptDelta(event);
    }
  };
  const acceptDelta = (event: ResponseEvent): WireEvent => {
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return grown(event);
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return { thinking: grow(event, 'reasoning').piece };
      case 'response.function_call_arguments.delta':
        grow(event, 'function_call');
        return {};
      default:
        return {};
    }
  };
  const grown = (event: ResponseEvent): WireEvent => {
    const { growing, piece } = grow(event, 'message');
    return text(growing, piece);
  };
  /** Parts of a summary are paragraphs. */
  const secondPart = (event: ResponseEvent): WireEvent => {
    const growing = items.growing(event, 'reasoning');
    if (growing.pieces.length === 0) return {};
    growing.pieces.push('\n\n');
    return { thinking: '\n\n' };
  };

  const read = (data: string): WireEvent | null => {
    if (data.trim() === '[DONE]') return { ...rest(), done: true };
    const parsed = ResponseEvent.safeParse(parsedJson(data));
    if (parsed.success) return accept(parsed.data);
    return bareError(data);
  };
  const readDocument = (json: string): WireEvent | null => {
    const parsed = ResponseBody.extend({ output: z.array(Item) }).safeParse(parsedJson(json));
    if (!parsed.success) return bareError(json);
    return parsed.data.error ? { error: parsed.data.error } : end(parsed.data);
  };

  const outcome = (done: boolean): ReplyOutcome => {
    const all = items.all().toSorted((a, b) => a.at - b.at);
    if (status === 'cut') return { type: 'cut' };
    if (status === 'filtered') return { type: 'filtered' };
    if (!done && status === null) return { type: 'unfinished', came: flow.any() };
    const made = all.filter(({ item }) => item.type === 'function_call');
    if (!flow.any() && made.length === 0) {
      return { type: all.some(thinks) ? 'only-thinking' : 'empty' };
    }
    if (made.some(({ item }) => !item.name)) return { type: 'nameless-call' };
    const parts = all.flatMap((item, at) => partOf(item, at));
    const opaque = parts.some(({ type }) => type === 'thinking');
    return {
      type: 'complete',
      calls: parts.flatMap(callOf),
      usage,
      ...(opaque && { parts }),
    };
  };
  return {
    read,
    readDocument,
    end: outcome,
    usage: () => usage,
    length: () => length,
    tooManyCalls: () => items.all().length > maxToolCalls,
  };
}

const failureOf = ({ response, error, message, code }: ResponseEvent): unknown =>
  response?.error ?? error ?? { message, code };

/** A failure that a server reports outside of the protocol's own event. */
function bareError(json: string): WireEvent | null {
  const parsed = z.object({ error: z.unknown() }).safeParse(parsedJson(json));
  return parsed.success && parsed.data.error ? { error: parsed.data.error } : null;
}

function wordsOf({ type, content, summary, arguments: argumentsJson }: Item): string {
  if (type === 'function_call') return argumentsJson ?? '';
  const texts = type === 'reasoning' ? [...(summary ?? []), ...(content ?? [])] : (content ?? []);
  return texts.map(({ text, refusal }) => text ?? refusal ?? '').join(type === 'reasoning' ? '\n\n' : '');
}

const thinks = ({ item, words }: GrowingItem): boolean => item.type === 'reasoning' || words.thinking !== '';

/** A message; thinking that its text contained does not return to the server. */
function messageParts({ text, thinking }: GrowingItem['words']): readonly MessagePart[] {
  if (thinking === '') return [{ type: 'text', text }];
  return [{ type: 'thinking', text: thinking }, ...(text === '' ? [] : [{ type: 'text' as const, text }])];
}

function partOf({ item, pieces, words, whole }: GrowingItem, at: number): readonly MessagePart[] {
  if (item.type === 'message') return messageParts(words);
  if (item.type === 'function_call') {
    const argumentsJson = (whole ? item.arguments : null) ?? pieces.join('');
    return [
      {
        type: 'call',
        id: item.call_id || `call_${at}`,
        name: item.name ?? '',
        arguments: argumentsJson || '{}',
      },
    ];
  }
  return item.type === 'reasoning' ? [reasoningPart(item, pieces.join(''), whole)] : [];
}

/** Without its content, a reasoning item is a reference that the server could not resolve. */
function reasoningPart(item: Item, text: string, whole: boolean): MessagePart {
  const returns = whole && (item.encrypted_content || (item.content ?? []).length > 0);
  const parsed = Json.safeParse(item);
  const provider = returns && parsed.success ? { provider: parsed.data } : {};
  return { type: 'thinking', text, ...provider };
}

const callOf = (part: MessagePart): readonly ModelToolCall[] =>
  part.type === 'call' ? [{ id: part.id, name: part.name, argumentsJson: part.arguments }] : [];

function tokensOf(usage: z.infer<typeof ResponseUsage>): ReplyTokens {
  const cachedTokens = reportedTokens(usage.input_tokens_details?.cached_tokens);
  const reasoningTokens = reportedTokens(usage.output_tokens_details?.reasoning_tokens);
  return {
    inputTokens: wholeTokens(usage.input_tokens),
    outputTokens: wholeTokens(usage.output_tokens),
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}
