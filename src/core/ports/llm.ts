import type { AppError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import type { ModelPrice, ModelRef, ProviderModels, WireName } from '#shared/model';
import type { MessagePart } from '#shared/run-fact';
import type { Result } from '#shared/result';

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  /** Unparsed text, as the model wrote it. */
  readonly argumentsJson: string;
}

/** An image sent to the model; `label` is the text before it. */
export interface ModelImage {
  readonly label: string;
  /** One of `image/png`, `image/jpeg`, `image/gif`, `image/webp`. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** `images` belong to the text; each provider's adapter decides where they go in a request. */
export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
  readonly images?: readonly ModelImage[];
}

/** The images of a line precede its text. */
export interface UserMessage {
  readonly role: 'user';
  readonly content: string;
  readonly images?: readonly ModelImage[];
}

export type ModelMessage =
  | SystemMessage
  | UserMessage
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ModelToolCall[];
      /**
       * The message as the model gave it, with its thinking; the same text and calls as above. Thinking returns
       * only to the model that it came from, in the shape of its protocol.
       */
      readonly parts?: readonly MessagePart[];
    }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** Preferences for a reply; an option that the provider does not support is omitted from the request. */
export interface ResponseOptions {
  readonly maxOutputTokens?: number;
  /** The reply must be one JSON value, matching `schema` when it is given. */
  readonly responseFormat?: { readonly type: 'json'; readonly schema?: JsonObject };
  readonly temperature?: number;
  readonly effort?: 'low' | 'medium' | 'high';
  /** Texts that end the reply when the model writes them. */
  readonly stop?: readonly string[];
}

export interface ModelRequest extends ResponseOptions {
  readonly model: ModelRef;
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[];
  /** The longest reply that the model can give to this request, if that is known; sent where a protocol requires a limit. */
  readonly maxReplyTokens?: number;
  /** Nobody waits for the reply: a model on this computer stops it when it is requested again. */
  readonly background?: boolean;
}

/**
 * Token counts of a reply as reported by its provider, 0 when not reported;
 * `cachedTokens` are part of the input and `reasoningTokens` part of the output; absent when not reported.
 */
export interface ReplyTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  /** Input tokens that the provider stored in its cache, where it reports them apart. */
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** A stream ends with exactly one `end` or `error`; events before an `error` stay valid. */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  /** A piece of what the model thinks before or between its texts and calls. */
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ModelToolCall }
  | { readonly type: 'retrying'; readonly inMs: number; readonly error: AppError }
  /** `parts`: the message in parts, in order; absent when it is only the text and the calls above. */
  | ({ readonly type: 'end'; readonly parts?: readonly MessagePart[] } & ReplyTokens)
  | {
      readonly type: 'error';
      readonly error: AppError;
      /** Tokens that the provider counted before the error. */
      readonly usage?: ReplyTokens;
      /** No model read the request: it was refused or never arrived. */
      readonly unanswered?: boolean;
      /** The reply was truncated at an output limit: the model's own, or the requested one. */
      readonly cut?: boolean;
    };

/** Model access: every provider, including the offline one, behind one stream interface. */
export interface ModelClient {
  /**
   * Never throws: a failure is the last event. Aborting cancels the HTTP request and ends the
   * stream with HOST/CANCELLED.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** All providers with their models; cached unless `refresh`. The offline provider is always last. */
  listModels(refresh: boolean): Promise<readonly ProviderModels[]>;
  /** Price of a model, when its provider's row declares one. */
  priceOf?(model: ModelRef): ModelPrice | null;
  /** Whether a model is known to call no tools. */
  callsNoTools?(model: ModelRef): boolean;
  /** Why a model makes no plans; null when it may. */
  planRefusal?(model: ModelRef): AppError | null;
  /** The display name of a provider, even after it was removed. */
  providerName(providerId: string): string;
  /** Whether a provider with this id is set up; absent: it is not known. */
  hasProvider?(providerId: string): boolean;
  /** The model to use when the user chose none: from the environment, then configured, then offline. */
  defaultModel(): Promise<ModelRef>;
  /**
   * Why the offline provider replaces a configured one that cannot be used; null when nothing is wrong or
   * offline was chosen.
   */
  setupProblem(): AppError | null;
  /** The model list of an address that is not saved yet. */
  probe(address: {
    baseUrl: string;
    key?: string;
    id?: string;
    wire?: WireName;
    /** In place of the stored ones; null stands for the stored value of a header, and for no organisation or proxy. */
    headers?: Readonly<Record<string, string | null>>;
    organization?: string | null;
    proxy?: string | null;
    /** A variable that a row names for this address. */
    keyVariable?: string;
  }): Promise<Result<readonly string[]>>;
}
