import { noUsage, offlineProviderId, type Usage } from '#shared/model';
import type { ModelEvent, ModelRequest, ModelToolCall, ReplyTokens } from '../ports/llm';

export type CountTokens = (text: string) => number;

/** Only the first characters of a longer text are tokenized; the rest is extrapolated. */
const maxCountedLength = 16_000;

export function tokensOf(count: CountTokens, value: unknown): number {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= maxCountedLength) return count(text);
  return Math.round((count(text.slice(0, maxCountedLength)) * text.length) / maxCountedLength);
}

/** Characters per token while no tokenizer is loaded. */
const charactersPerToken = 4;

const estimateByLength: CountTokens = (text) => Math.ceil(text.length / charactersPerToken);

/** Token counts for texts that no provider counted. */
export interface TokenEstimate {
  /** Uses the tokenizer if it is already loaded. */
  readonly now: (text: string) => number;
  /** Waits for the tokenizer. */
  readonly exact: (text: string) => Promise<number>;
}

/** Loads the tokenizer on first use; until then, or without one, a token counts as four characters. */
export function createTokenEstimate(load?: () => Promise<CountTokens>): TokenEstimate {
  let count = estimateByLength;
  let loading: Promise<void> | null = null;
  const ready = (): Promise<void> =>
    (loading ??= (load ? load() : Promise.resolve(estimateByLength)).then(
      (loaded) => void (count = loaded),
      () => undefined,
    ));
  return {
    now: (text) => {
      void ready();
      return tokensOf(count, text);
    },
    exact: (text) => ready().then(() => tokensOf(count, text)),
  };
}

/** Counts every part of a long text, for decisions that an extrapolation could get wrong. */
export async function wholeTokens({ exact }: TokenEstimate, text: string): Promise<number> {
  let tokens = 0;
  for (let at = 0; at < text.length; at += maxCountedLength)
    tokens += await exact(text.slice(at, at + maxCountedLength));
  return tokens;
}

/** All text of a request that costs tokens. */
export function requestText({ messages, tools = [] }: Pick<ModelRequest, 'messages' | 'tools'>): string {
  const texts = messages.flatMap((message) => [
    message.content,
    ...(message.role === 'assistant' ? (message.toolCalls ?? []).map(callText) : []),
  ]);
  return [...texts, ...(tools.length > 0 ? [JSON.stringify(tools)] : [])].join('\n');
}

const callText = ({ name, argumentsJson }: ModelToolCall): string => `${name} ${argumentsJson}`;

/** The usage of one model call, however the call ends. */
export interface CallUsage {
  readonly observe: (event: ModelEvent) => void;
  /** The provider's numbers; if there are none, estimates from the texts exchanged, marked as estimated. */
  readonly usage: () => Usage;
}

const isCounted = (tokens: ReplyTokens | undefined): tokens is ReplyTokens =>
  tokens !== undefined && tokens.inputTokens + tokens.outputTokens > 0;

export function createCallUsage(request: ModelRequest, estimate: TokenEstimate): CallUsage {
  const texts: string[] = [];
  let reported: ReplyTokens | undefined;
  let unanswered = false;
  return {
    observe: (event) => {
      if (event.type === 'text' || event.type === 'thinking') texts.push(event.text);
      else if (event.type === 'tool-call') texts.push(callText(event.call));
      else if (event.type === 'end') reported = event;
      else if (event.type === 'error') {
        reported = event.usage;
        unanswered = event.unanswered === true;
      }
    },
    usage: () => {
      if (isCounted(reported)) {
        const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = reported;
        return {
          modelTurns: 1,
          inputTokens,
          outputTokens,
          ...(cachedTokens !== undefined && { cachedTokens }),
          ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
          ...(reasoningTokens !== undefined && { reasoningTokens }),
        };
      }
      if (unanswered) return noUsage;
      if (request.model.providerId === offlineProviderId) return { ...noUsage, modelTurns: 1 };
      const [inputTokens, outputTokens] = [requestText(request), texts.join('')].map(estimate.now);
      return {
        modelTurns: 1,
        inputTokens: inputTokens ?? 0,
        outputTokens: outputTokens ?? 0,
        estimated: true,
      };
    },
  };
}
