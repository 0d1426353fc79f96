import type { AppError } from '#shared/app-error';
import { type Json, parseJson } from '#shared/json';
import type { OptionalPart } from '#shared/provider-row';
import type { MessagePart } from '#shared/run-fact';
import type { ModelMessage, ModelRequest, ModelToolCall, ReplyTokens } from '../../../core/ports/llm';
import type { Endpoint } from './failure';

/** More calls than this in one reply are a loop, not a plan. */
export const maxToolCalls = 128;

/** What one event of a reply contains; `error` is the provider's own report of a failure. */
export interface WireEvent {
  readonly text?: string;
  readonly thinking?: string;
  /** No more events belong to the reply. */
  readonly done?: boolean;
  readonly error?: unknown;
}

/** How a reply ended after its last event. */
export type ReplyOutcome =
  | {
      readonly type: 'complete';
      readonly calls: readonly ModelToolCall[];
      readonly usage: ReplyTokens;
      /** All parts of the message, when the protocol has more to return than text and calls. */
      readonly parts?: readonly MessagePart[];
    }
  /** The stream closed before the model reported its end. */
  | { readonly type: 'unfinished'; readonly came: boolean }
  | { readonly type: 'empty' }
  /** The model thought and said nothing. */
  | { readonly type: 'only-thinking' }
  /** The model stopped at its output limit. */
  | { readonly type: 'cut' }
  /** The provider's filter stopped the reply. */
  | { readonly type: 'filtered' }
  | { readonly type: 'nameless-call' };

/** Assembles one reply from the events of its protocol. */
export interface ReplyAssembly {
  /** The content of an event's data; null when it is not an event of this protocol. */
  readonly read: (data: string) => WireEvent | null;
  /** The same for a complete reply in one JSON document. */
  readonly readDocument: (json: string) => WireEvent | null;
  readonly end: (done: boolean) => ReplyOutcome;
  /** Token counts of the server so far, 0 if it sends none. */
  readonly usage: () => ReplyTokens;
  /** Length of everything assembled, in UTF-16 units. */
  readonly length: () => number;
  readonly tooManyCalls: () => boolean;
}

/** A protocol: how a request is written and how its reply is read. All else is shared. */
export interface Wire {
  readonly path: (endpoint: Endpoint) => string;
  /** The path of the model list. */
  readonly listPath: (endpoint: Endpoint) => string;
  /** Headers besides the shared ones; null removes a shared one. */
  readonly headers: (endpoint: Endpoint) => Readonly<Record<string, string | null>>;
  /** Equal requests give equal bytes. Omits the parts in `refused`. */
  readonly body: (request: ModelRequest, endpoint: Endpoint, refused: ReadonlySet<OptionalPart>) => object;
  readonly assembly: () => ReplyAssembly;
  /** Why this protocol cannot carry a request; null when it can. Absent: it carries all. */
  readonly refusal?: (request: ModelRequest) => AppError | null;
  /** The optional part that the words of a refusal are about; the first match counts. */
  readonly optional: readonly (readonly [OptionalPart, RegExp])[];
}

/** Passes text on so that no surrogate pair is split: a high surrogate waits for the next piece. */
export function createTextFlow() {
  let waiting = '';
  let any = false;
  return {
    pass(piece: string): string {
      const text = waiting + piece;
      waiting = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : '';
      const whole = text.slice(0, text.length - waiting.length);
      any ||= whole !== '';
      return whole;
    },
    any: () => any,
  };
}

/** No reply has more tokens; sums of such counts stay exact. */
const maxTokens = 1_000_000_000;

/** A token count as a server reports it; nonsense counts as 0. */
export function wholeTokens(count: number | null | undefined): number {
  return typeof count === 'number' && count > 0 && count <= maxTokens ? Math.floor(count) : 0;
}

/** A count of details; undefined when the provider left it out. */
export const reportedTokens = (count: number | null | undefined): number | undefined =>
  typeof count === 'number' ? wholeTokens(count) : undefined;

/** Counts of one reply only grow: a later report without them, or of nothing, takes none back. */
export function largerCounts(before: ReplyTokens, now: ReplyTokens): ReplyTokens {
  const names = Object.keys({ ...before, ...now }) as (keyof ReplyTokens)[];
  const larger = names.map((name) => [name, Math.max(before[name] ?? 0, now[name] ?? 0)] as const);
  return { ...before, ...now, ...Object.fromEntries(larger) };
}

/** A JSON text's value; undefined when it has none, or is nested deeper than the code that reads it can follow. */
export function parsedJson(text: string): Json | undefined {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : undefined;
}

/** A message without recorded parts consists of its text and its calls. */
export function partsOf(message: Extract<ModelMessage, { role: 'assistant' }>): readonly MessagePart[] {
  if (message.parts) return message.parts;
  const calls = (message.toolCalls ?? []).map(({ id, name, argumentsJson }) => ({
    type: 'call' as const,
    id,
    name,
    arguments: argumentsJson,
  }));
  return [{ type: 'text', text: message.content }, ...calls];
}
