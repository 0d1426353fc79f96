/**
 * A tool call of the scripted model; `arguments` given as text are sent unchanged, even when they are not
 * JSON.
 */
export interface ScriptedToolCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments: unknown;
}

/** How a reply fails. `after` is the number of text pieces sent before the fault (default 0). */
export type ScriptedFault =
  | {
      readonly type: 'status';
      readonly status: number;
      readonly message?: string;
      readonly code?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Destroys the socket: before the headers without `after`, else in the middle of the stream. */
  | { readonly type: 'drop'; readonly after?: number }
  /** Ends the response normally, without a finish reason and without `[DONE]`. */
  | { readonly type: 'cut'; readonly after?: number }
  /** A `data:` line that is not JSON. */
  | { readonly type: 'garbage'; readonly after?: number; readonly line?: string }
  /** The provider reports an error inside the stream. */
  | { readonly type: 'stream-error'; readonly after?: number; readonly error: unknown }
  /** One `data:` line that never ends, for as long as the client reads. */
  | { readonly type: 'endless-line'; readonly after?: number }
  /** Valid pieces of text without end, for as long as the client reads. */
  | { readonly type: 'endless-text' }
  /** Sends nothing more and leaves the socket open: before the headers, or after some pieces. */
  | { readonly type: 'hang'; readonly beforeHeaders?: boolean; readonly after?: number }
  /** A complete answer of an unexpected kind, sent with status 200. */
  | { readonly type: 'body'; readonly contentType: string; readonly body: string };

export interface ScriptedUsage {
  /** All input, cached or not. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

export interface ScriptedReply {
  /**
   * Which requests it answers: by the last user message, or by inspecting the request. By default the next
   * request.
   */
  readonly match?: string | RegExp | ((request: ScriptedRequest) => boolean);
  /** How many requests it answers; by default once in a sequence, and always with `match`. */
  readonly times?: number;
  /** The text, split into pieces of about one token; a list is sent piece by piece. */
  readonly text?: string | readonly string[];
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Thinking before the text, split like the text. */
  readonly thinking?: string | readonly string[];
  /** What the provider signs or encrypts its thinking with. */
  readonly signature?: string;
  readonly usage?: ScriptedUsage | null;
  readonly finishReason?: string;
  /** Pieces per second; by default all at once. */
  readonly tokensPerSecond?: number;
  /** Each piece waits for `release()`. */
  readonly gated?: boolean;
  /** Answers with one JSON document even when the request asks for a stream. */
  readonly plain?: boolean;
  readonly fault?: ScriptedFault;
}

export interface ScriptedRequest {
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The raw body, byte for byte. */
  readonly body: Buffer;
  readonly text: string;
  /** The parsed body, or undefined when it is not a JSON object. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
  /** Resolves when the exchange is complete: `answered`, or `aborted` when the client disconnected first. */
  readonly over: Promise<'answered' | 'aborted'>;
}

/** The text of the last user message of a request of any protocol, or ''. */
export function lastUserText(request: ScriptedRequest): string {
  const messages = request.json?.['messages'] ?? request.json?.['input'];
  if (!Array.isArray(messages)) return '';
  const texts = messages.flatMap((message: unknown) =>
    isRecord(message) && message['role'] === 'user' ? contentTexts(message['content']) : [],
  );
  return texts.at(-1) ?? '';
}

function contentTexts(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) =>
    isRecord(part) && typeof part['text'] === 'string' ? [part['text']] : [],
  );
}

/** Splits text into pieces of about a token: a word with the preceding white space. */
export function piecesOf(text: ScriptedReply['text']): readonly string[] {
  if (text === undefined) return [];
  return typeof text === 'string' ? (text.match(/\s*\S+|\s+$/gu) ?? []) : text;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
