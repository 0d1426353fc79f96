/** A tool call the scripted model makes; `arguments` that are text go out as they are, also when they are no JSON. */
export interface ScriptedToolCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments: unknown;
}

/** How a reply goes wrong. `after` counts the pieces of text sent before it does (default 0). */
export type ScriptedFault =
  | {
      readonly type: 'status';
      readonly status: number;
      readonly message?: string;
      readonly code?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The socket is destroyed: before the headers without `after`, else in the middle of the stream. */
  | { readonly type: 'drop'; readonly after?: number }
  /** The response ends in good order, without a finish reason and without `[DONE]`. */
  | { readonly type: 'cut'; readonly after?: number }
  /** A `data:` line that is no JSON. */
  | { readonly type: 'garbage'; readonly after?: number; readonly line?: string }
  /** The provider reports an error inside the stream. */
  | { readonly type: 'stream-error'; readonly after?: number; readonly error: unknown }
  /** One `data:` line that never ends, for as long as the client reads. */
  | { readonly type: 'endless-line'; readonly after?: number }
  /** Valid pieces of text without end, for as long as the client reads. */
  | { readonly type: 'endless-text' }
  /** Nothing more is sent and the socket stays open: before the headers, or after some pieces. */
  | { readonly type: 'hang'; readonly beforeHeaders?: boolean; readonly after?: number }
  /** A complete answer of another kind than asked for, sent with status 200. */
  | { readonly type: 'body'; readonly contentType: string; readonly body: string };

export interface ScriptedReply {
  /** Which requests it answers: by the last user message, or by looking at the request. Without it: the next request. */
  readonly match?: string | RegExp | ((request: ScriptedRequest) => boolean);
  /** How many requests it answers; once in a sequence, always with `match`, unless said otherwise. */
  readonly times?: number;
  /** The text, cut into pieces of about one token; a list is sent piece by piece as it is. */
  readonly text?: string | readonly string[];
  readonly toolCalls?: readonly ScriptedToolCall[];
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | null;
  readonly finishReason?: string;
  /** Pieces a second; without it they are sent at once. */
  readonly tokensPerSecond?: number;
  /** Each piece waits for `release()`. */
  readonly gated?: boolean;
  /** Answers with one JSON document also when a stream was asked for. */
  readonly plain?: boolean;
  readonly fault?: ScriptedFault;
}

export interface ScriptedRequest {
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it came over the wire, byte for byte. */
  readonly body: Buffer;
  readonly text: string;
  /** The body parsed, or undefined when it is no JSON object. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
  /** Settles when the exchange is over: `answered`, or `aborted` when the client hung up first. */
  readonly over: Promise<'answered' | 'aborted'>;
}

/** The text of the last user message of a chat request, or ''. */
export function lastUserText(request: ScriptedRequest): string {
  const messages = request.json?.['messages'];
  if (!Array.isArray(messages)) return '';
  const texts = messages.flatMap((message: unknown) =>
    isRecord(message) && message['role'] === 'user' && typeof message['content'] === 'string'
      ? [message['content']]
      : [],
  );
  return texts.at(-1) ?? '';
}

/** Pieces of about a token: a word with the white space before it. */
export function piecesOf(text: ScriptedReply['text']): readonly string[] {
  if (text === undefined) return [];
  return typeof text === 'string' ? (text.match(/\s*\S+|\s+$/gu) ?? []) : text;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
