import {
  getLlama,
  InsufficientMemoryError,
  LlamaChatSession,
  TokenMeter,
  type ChatHistoryItem,
  type Llama,
  type LlamaContextSequence,
  type LlamaGrammar,
} from 'node-llama-cpp';
import type { FromModelProcess, LocalMessage, ToModelProcess } from './messages';

type Load = Extract<ToModelProcess, { type: 'load' }>;
type Reply = Extract<ToModelProcess, { type: 'reply' }>;

/** What small models need to talk: the greedy choice repeats itself. */
const sampling = { temperature: 0.7, topP: 0.9, topK: 40, minP: 0.05 } as const;
const repeatPenalty = { lastTokens: 64, penalty: 1.1 } as const;

const historyItem = ({ role, content }: LocalMessage): ChatHistoryItem => {
  if (role === 'system') return { type: 'system', text: content };
  return role === 'user' ? { type: 'user', text: content } : { type: 'model', response: [content] };
};

const detailOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** A grammar for the wanted JSON; for a schema that the library cannot express, any JSON. */
async function grammarFor(llama: Llama, json: Reply['json']): Promise<LlamaGrammar | undefined> {
  if (json === undefined) return undefined;
  if (json !== true) {
    try {
      // The library describes the schemas that it can express; others throw here.
      return await llama.createGrammarForJsonSchema(json as never);
    } catch {
      // Falls through: the caller checks the value anyway.
    }
  }
  return llama.getGrammarFor('json');
}

const endReason = (stopReason: string): 'complete' | 'cut' | 'stopped' => {
  if (stopReason === 'abort') return 'stopped';
  return stopReason === 'maxTokens' ? 'cut' : 'complete';
};

/** Counts the tokens of one reply; what an earlier one left in the context counts as cached. */
function countTokens(sequence: LlamaContextSequence) {
  const before = sequence.tokenMeter.getState();
  return () => {
    const { usedInputTokens, usedOutputTokens } = TokenMeter.diff(sequence.tokenMeter, before);
    const inputTokens = Math.max(usedInputTokens, sequence.nextTokenIndex - usedOutputTokens);
    return { inputTokens, cachedTokens: inputTokens - usedInputTokens, outputTokens: usedOutputTokens };
  };
}

/** Whether a conversation and a reply of some length fit into the context. */
const fits = (sequence: LlamaContextSequence, messages: readonly LocalMessage[]): boolean =>
  messages.reduce((sum, { content }) => sum + sequence.model.tokenize(content).length + 8, 0) <
  sequence.contextSize - 64;

/** A loaded model that writes one reply at a time. Never throws. */
export interface Engine {
  reply(request: Reply, signal: AbortSignal, post: (message: FromModelProcess) => void): Promise<void>;
}

/** Loads a model for the processor: no GPU, no compiler, no network. Throws what the library throws. */
export async function loadEngine({ path, threads, contextTokens }: Load): Promise<Engine> {
  const llama = await getLlama({
    build: 'never',
    skipDownload: true,
    gpu: false,
    maxThreads: threads,
    logger: () => undefined,
    progressLogs: false,
  });
  const model = await llama.loadModel({ modelPath: path, gpuLayers: 0 });
  const context = await model.createContext({ contextSize: contextTokens, threads });
  const sequence = context.getSequence();

  return {
    async reply({ id, messages, maxTokens, temperature, stop, json }, signal, post) {
      try {
        if (!fits(sequence, messages)) {
          return post({ type: 'reply-failed', id, detail: 'The conversation is too long.', tooLong: true });
        }
        const grammar = await grammarFor(llama, json);
        const session = new LlamaChatSession({ contextSequence: sequence });
        session.setChatHistory(messages.slice(0, -1).map(historyItem));
        const counted = countTokens(sequence);
        const { stopReason } = await session.promptWithMeta(messages.at(-1)?.content ?? '', {
          ...(grammar ? { grammar, temperature: 0 } : { ...sampling, repeatPenalty }),
          ...(temperature !== undefined && { temperature }),
          ...(maxTokens !== undefined && { maxTokens }),
          ...(stop && { customStopTriggers: [...stop] }),
          signal,
          stopOnAbortSignal: true,
          onResponseChunk: ({ type, segmentType, text }) => {
            if (text === '') return;
            if (type === undefined) post({ type: 'text', id, text });
            else if (segmentType === 'thought') post({ type: 'thinking', id, text });
          },
        });
        session.dispose({ disposeSequence: false });
        post({ type: 'end', id, ...counted(), reason: endReason(stopReason) });
      } catch (thrown) {
        post({ type: 'reply-failed', id, detail: detailOf(thrown), tooLong: false });
      }
    },
  };
}

/** Why a model could not be loaded. */
export const loadFailure = (thrown: unknown): FromModelProcess => ({
  type: 'load-failed',
  detail: detailOf(thrown),
  memory: thrown instanceof InsufficientMemoryError,
});
