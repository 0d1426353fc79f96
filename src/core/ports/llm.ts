import type { AppError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import type { ModelPrice, ModelRef, ProviderModels } from '#shared/model';
import type { Result } from '#shared/result';

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote it: unparsed text. */
  readonly argumentsJson: string;
}

/** An image the model sees; `label` are the words before it. */
export interface ModelImage {
  readonly label: string;
  /** One of `image/png`, `image/jpeg`, `image/gif`, `image/webp`. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** `images` belong to the end of the text; where they go in a request is the provider's rule. */
export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
  readonly images?: readonly ModelImage[];
}

export type ModelMessage =
  | SystemMessage
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ModelToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** How a reply is wanted; a provider that does not take a wish is asked without it. */
export interface ResponseOptions {
  readonly maxOutputTokens?: number;
  /** The reply is one JSON value, of the schema when there is one. */
  readonly responseFormat?: { readonly type: 'json'; readonly schema?: JsonObject };
  readonly temperature?: number;
  readonly effort?: 'low' | 'medium' | 'high';
}

export interface ModelRequest extends ResponseOptions {
  readonly model: ModelRef;
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[];
  /** The one function the model must call, if any. */
  readonly toolChoice?: string;
}

/** Tokens of a reply as its provider counted them, 0 without a count; `cachedTokens` are part of the input. */
export interface ReplyTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
}

/** A stream ends with exactly one `end` or `error`; what came before an `error` stays valid. */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ModelToolCall }
  | { readonly type: 'retrying'; readonly inMs: number; readonly error: AppError }
  | ({ readonly type: 'end' } & ReplyTokens)
  | {
      readonly type: 'error';
      readonly error: AppError;
      /** What the provider had counted until then. */
      readonly usage?: ReplyTokens;
      /** No model has read the request: it was refused, or never arrived. */
      readonly unanswered?: boolean;
      /** The reply stops at an output limit: the model's own, or the one it was sent. */
      readonly cut?: boolean;
    };

/** The way to models: every provider, the offline one included, behind one stream. */
export interface ModelClient {
  /** Never throws: failures are the last event. Aborting ends the HTTP request and the stream with HOST/CANCELLED. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Every provider with its models; cached unless `refresh`. The offline provider is always last in the list. */
  listModels(refresh: boolean): Promise<readonly ProviderModels[]>;
  /** What a model costs, where its provider's row says so. */
  priceOf?(model: ModelRef): ModelPrice | null;
  /** The display name of a provider, also when it is gone. */
  providerName(providerId: string): string;
  /** What to use when the user chose nothing: environment, then configured, then offline. */
  defaultModel(): Promise<ModelRef>;
  /** Why offline would stand in for what was set up and cannot be used; null when nothing is wrong, or offline was chosen. */
  setupProblem(): AppError | null;
  /** Model list of an address not saved yet. */
  probe(address: { baseUrl: string; key?: string; id?: string }): Promise<Result<readonly string[]>>;
}
