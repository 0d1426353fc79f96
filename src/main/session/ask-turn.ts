import { appError, type AppError } from '#shared/app-error';
import type { ModelRef, Usage } from '#shared/model';
import type { ReplyOutcome, SessionFact } from '#shared/session-event';
import type { Clock } from '../ports/clock';
import type { ModelClient, ModelEvent, ModelMessage } from '../ports/llm';
import { createReplyWriter } from './reply-writer';

export interface AskDeps {
  readonly models: ModelClient;
  readonly clock: Clock;
  readonly show: (offset: number, text: string) => void;
  /** Commits facts; false when the session can no longer be written. */
  readonly record: (facts: readonly SessionFact[]) => boolean;
  /** Commits the last facts of a turn, however often it has to try. */
  readonly recordLast: (facts: readonly SessionFact[]) => void;
}

export interface AskRequest {
  readonly turn: number;
  readonly model: ModelRef;
  readonly messages: readonly ModelMessage[];
}

/** What came of a line in Ask. */
export interface AskReport {
  readonly outcome: ReplyOutcome;
  readonly text: string;
  readonly usage?: Usage;
  readonly error?: AppError;
}

type Ending = Omit<AskReport, 'text'>;

const unsaved = appError('HOST', 'STORAGE', 'The reply was stopped because it could not be saved.', {
  hint: 'Make room on the disk, then send the line again.',
  retryable: true,
});
const unfinished = appError('LLM', 'INVALID_REPLY', 'The model ended its reply without saying so.', {
  retryable: true,
});
const wordless = appError('LLM', 'INVALID_REPLY', 'The model asked for a tool, and Ask offers none.', {
  hint: 'Switch to Agent Mode to let it use tools, or ask again.',
  retryable: true,
});

function failed(error: AppError, signal: AbortSignal): Ending {
  const stopped = signal.aborted && error.kind === 'HOST' && error.code === 'CANCELLED';
  return stopped ? { outcome: 'stopped' } : { outcome: 'failed', error };
}

function ended(event: Extract<ModelEvent, { type: 'end' }>, text: string, askedForTool: boolean): Ending {
  const { inputTokens, outputTokens } = event;
  const usage: Usage = { modelTurns: 1, inputTokens, outputTokens };
  if (text === '' && askedForTool) return { outcome: 'failed', usage, error: wordless };
  return { outcome: 'done', usage };
}

/**
 * Answers one line by one model call and records it: what came stays, whatever ends the stream.
 * The turn's `reply-started` is recorded by the caller, with the line or when its turn in the queue comes.
 */
export async function askTurn(deps: AskDeps, request: AskRequest, stop: AbortSignal): Promise<AskReport> {
  const { turn, model, messages } = request;
  const controller = new AbortController();
  const { signal } = controller;
  const abort = (): void => controller.abort();
  let lost = false;
  if (stop.aborted) abort();
  stop.addEventListener('abort', abort, { once: true });
  const writer = createReplyWriter({
    clock: deps.clock,
    show: deps.show,
    save: (text) => deps.record([{ type: 'reply-extended', turn, text }]),
    onFailure: () => {
      lost = true;
      abort();
    },
  });

  const consume = async (): Promise<Ending> => {
    let askedForTool = false;
    for await (const event of deps.models.stream({ model, messages }, signal)) {
      if (event.type === 'text') writer.write(event.text);
      else if (event.type === 'tool-call') askedForTool = true;
      else if (event.type === 'end') return ended(event, writer.text(), askedForTool);
      else if (event.type === 'error') return failed(event.error, signal);
    }
    return signal.aborted ? { outcome: 'stopped' } : { outcome: 'failed', error: unfinished };
  };

  const ending = await consume();
  stop.removeEventListener('abort', abort);
  const report: Ending = lost ? { outcome: 'failed', error: unsaved } : ending;
  const rest = writer.finish();
  deps.recordLast([
    ...(rest === '' ? [] : [{ type: 'reply-extended' as const, turn, text: rest }]),
    { type: 'reply-ended', turn, ...report },
  ]);
  return { text: writer.text(), ...report };
}
