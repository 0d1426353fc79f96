import { appError, type AppError } from '#shared/app-error';
import type { Usage } from '#shared/model';
import type { ReplyOutcome } from '#shared/session-event';
import type { ModelEvent, ModelToolCall } from '../ports/llm';
import type { CallUsage } from '../tools/model-usage';
import type { ReplyWriter } from './reply-writer';

/** The result of one model call: its text, the tools it called, its outcome and its usage. */
export interface Round {
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  readonly ending: { readonly outcome: ReplyOutcome; readonly error?: AppError };
  readonly usage?: Usage;
}

const unfinished = appError('LLM', 'INVALID_REPLY', 'The model ended its reply without saying so.', {
  retryable: true,
});

function failed(error: AppError, signal: AbortSignal): Round['ending'] {
  const stopped = signal.aborted && error.kind === 'HOST' && error.code === 'CANCELLED';
  return stopped ? { outcome: 'stopped' } : { outcome: 'failed', error };
}

/** Reads one stream to its end and writes its text as it arrives, after the text of earlier rounds. */
export async function readRound(
  events: AsyncIterable<ModelEvent>,
  writer: ReplyWriter,
  spent: CallUsage,
  signal: AbortSignal,
): Promise<Round> {
  const calls: ModelToolCall[] = [];
  const earlier = writer.text();
  let text = '';
  const write = (piece: string): void => {
    if (text === '' && earlier !== '' && piece !== '') writer.write('\n\n');
    text += piece;
    writer.write(piece);
  };
  const ended = (ending: Round['ending']): Round => {
    const usage = spent.usage();
    return { text, calls, ending, ...(usage.modelTurns > 0 && { usage }) };
  };
  for await (const event of events) {
    spent.observe(event);
    if (event.type === 'text') write(event.text);
    else if (event.type === 'tool-call') calls.push(event.call);
    else if (event.type === 'error') return ended(failed(event.error, signal));
    else if (event.type === 'end') return ended({ outcome: 'done' });
  }
  return ended(signal.aborted ? { outcome: 'stopped' } : failed(unfinished, signal));
}
