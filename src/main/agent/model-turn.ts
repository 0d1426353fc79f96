import { appError, type AppError } from '#shared/app-error';
import { assertNever, err, ok, type Result } from '#shared/result';
import { noUsage, offlineProviderId, type Usage } from '#shared/model';
import type { ModelClient, ModelEvent, ModelRequest, ModelToolCall } from '../ports/llm';
import type { RunMeter } from './run-meter';

/** One whole model reply. */
export interface ModelTurn {
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  readonly usage: Usage;
}

/** A reply longer than this is no plan and no answer, whoever sends it. */
const longestReply = 1_000_000;

interface Collecting {
  text: string;
  readonly calls: ModelToolCall[];
  usage: Usage;
}

/** What an event ends the turn with, if it does. */
function take(collecting: Collecting, event: ModelEvent, meter: RunMeter): Result<ModelTurn> | null {
  switch (event.type) {
    case 'text':
      collecting.text += event.text;
      if (collecting.text.length <= longestReply) return null;
      return err(appError('LLM', 'INVALID_REPLY', 'The model does not stop talking.'));
    case 'tool-call':
      collecting.calls.push(event.call);
      return null;
    case 'retrying':
      return null;
    case 'end':
      meter.countTurn(event.inputTokens, event.outputTokens);
      collecting.usage = {
        ...{ modelTurns: 1, inputTokens: event.inputTokens, outputTokens: event.outputTokens },
      };
      return ok(collecting);
    case 'error':
      return err(event.error);
    default:
      return assertNever(event);
  }
}

async function collect(events: AsyncIterable<ModelEvent>, meter: RunMeter): Promise<Result<ModelTurn>> {
  const collecting: Collecting = { text: '', calls: [], usage: noUsage };
  for await (const event of events) {
    const ended = take(collecting, event, meter);
    if (ended) return ended;
  }
  return err(
    appError('LLM', 'INVALID_REPLY', 'The reply ended before it was complete.', { retryable: true }),
  );
}

const noModel: AppError = appError('LLM', 'UNAVAILABLE', 'No model is connected, and this step needs one.', {
  hint: 'Connect a model in the model picker, or ask for something a recipe does.',
});

/** One model turn, counted. The offline provider is no model: asking it is LLM/UNAVAILABLE. */
export async function modelTurn(
  models: ModelClient,
  request: ModelRequest,
  meter: RunMeter,
  signal: AbortSignal,
): Promise<Result<ModelTurn>> {
  if (request.model.providerId === offlineProviderId) return err(noModel);
  const breach = meter.tokenBreach();
  if (breach) return err(breach);
  return collect(models.stream(request, signal), meter);
}
