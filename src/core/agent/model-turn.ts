import { appError, type AppError } from '#shared/app-error';
import { assertNever, err, ok, type Result } from '#shared/result';
import { noUsage, offlineProviderId, type Usage } from '#shared/model';
import type { MessagePart } from '#shared/run-fact';
import type { ModelCallPart } from '#shared/session-event';
import type { ModelClient, ModelEvent, ModelRequest, ModelToolCall } from '../ports/llm';
import { createCallUsage, requestText } from '../tools/model-usage';
import { tokensIn, type RunMeter } from './run-meter';

/** One complete model reply. */
export interface ModelTurn {
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  /** The whole message in parts, where it is more than its text and calls. */
  readonly parts?: readonly MessagePart[];
}

/** A limit for one call, in addition to the run's limit. */
export interface TurnLimit {
  /** Input and output tokens together. */
  readonly tokens: number;
  /** The limit's error; `tokens` were used or (not `sent`) are the tokens of the call's input alone. */
  readonly breach: (tokens: number, sent: boolean) => AppError;
}

/** A longer reply can be neither a plan nor an answer. */
const maxReplyLength = 1_000_000;

/**
 * Servers reject an output limit above their model's maximum, so no higher limit is sent; the output is only
 * counted.
 */
const maxCappedTokens = 16_000;

/** Characters of new text before the reply is counted again. */
const countedEach = 1_000;

/** The output budget of a call, and its error when the call, which is not counted yet, exceeds it. */
interface OutputBudget {
  readonly output: number;
  /** The limit sent with the request. */
  readonly maxOutputTokens?: number;
  readonly breach: (usage: Usage) => AppError;
}

/**
 * The output budget under the lower of the run's and the call's limit; an error if the input does not fit.
 */
async function outputBudgetFor(
  request: ModelRequest,
  meter: RunMeter,
  limit?: TurnLimit,
): Promise<Result<OutputBudget>> {
  const runLeft = meter.tokensLeft();
  if (runLeft <= 0) return err(meter.tokenBreach());
  const own = limit && limit.tokens <= runLeft ? limit : undefined;
  const left = own ? own.tokens : runLeft;
  const breach = (usage: Usage): AppError =>
    own ? own.breach(tokensIn(usage), true) : meter.tokenBreach({ uncounted: tokensIn(usage) });
  const text = requestText(request);
  // No text has more tokens than bytes, so a text far below the remaining budget need not be counted.
  if (left > maxCappedTokens && text.length * 3 <= left - maxCappedTokens)
    return ok({ output: left, breach });
  const input = await meter.estimate.exact(text);
  if (input >= left) return err(own ? own.breach(input, false) : meter.tokenBreach({ needed: input }));
  const output = left - input;
  return ok({ output, breach, ...(output <= maxCappedTokens && { maxOutputTokens: output }) });
}

interface Collecting {
  text: string;
  thinking: string;
  /** The number of characters counted so far, and their tokens. */
  counted: number;
  tokens: number;
  readonly calls: ModelToolCall[];
}

/** Whether the received text exceeds the output budget. */
function overflows(collecting: Collecting, meter: RunMeter, budget: OutputBudget): boolean {
  const all = collecting.thinking.length + collecting.text.length;
  if (all - collecting.counted < countedEach) return false;
  collecting.tokens += meter.estimate.now((collecting.thinking + collecting.text).slice(collecting.counted));
  collecting.counted = all;
  return collecting.tokens > budget.output;
}

type Ended = Result<ModelTurn> | 'over' | { readonly cutBy: AppError };

const completeTurn = ({ text, calls }: Collecting, parts?: readonly MessagePart[]): ModelTurn => ({
  text,
  calls,
  ...(parts && { parts }),
});

/**
 * The result that an event ends the turn with, if any; `over`: the reply exceeded the output budget; `cutBy`:
 * the model stopped at an output limit.
 */
function take(
  collecting: Collecting,
  event: ModelEvent,
  meter: RunMeter,
  budget: OutputBudget,
): Ended | null {
  switch (event.type) {
    case 'text':
      collecting.text += event.text;
      if (collecting.text.length > maxReplyLength)
        return err(appError('LLM', 'INVALID_REPLY', 'The reply exceeded the size limit.'));
      return overflows(collecting, meter, budget) ? 'over' : null;
    case 'thinking':
      collecting.thinking += event.text;
      return overflows(collecting, meter, budget) ? 'over' : null;
    case 'tool-call':
      collecting.calls.push(event.call);
      return null;
    case 'retrying':
      return null;
    case 'end':
      return ok(completeTurn(collecting, event.parts));
    case 'error':
      return event.cut === true ? { cutBy: event.error } : err(event.error);
    default:
      return assertNever(event);
  }
}

const unfinished: AppError = appError('LLM', 'INVALID_REPLY', 'The reply ended before it was complete.', {
  retryable: true,
});

const noModel: AppError = appError('LLM', 'UNAVAILABLE', 'No model is connected, and this step needs one.', {
  hint: 'Connect a model in the model picker, or ask for something a recipe does.',
});

/** The limit that a complete reply exceeds; possible because providers may count tokens differently. */
function breachedLimit(usage: Usage, meter: RunMeter, limit?: TurnLimit): AppError | null {
  const used = tokensIn(usage);
  if (limit && used > limit.tokens) return limit.breach(used, true);
  return meter.tokensLeft() < 0 ? meter.tokenBreach() : null;
}

/** Reads the stream; calls `onEvent` before each event is processed. */
async function collect(
  events: AsyncIterable<ModelEvent>,
  onEvent: (event: ModelEvent) => void,
  meter: RunMeter,
  budget: OutputBudget,
): Promise<Ended> {
  const collecting: Collecting = { text: '', thinking: '', counted: 0, tokens: 0, calls: [] };
  for await (const event of events) {
    onEvent(event);
    const ended = take(collecting, event, meter, budget);
    if (ended) return ended;
  }
  return err(unfinished);
}

const cancelled: AppError = appError('HOST', 'CANCELLED', 'Stopped.');

/** What to do when a model stops at its own output limit: half a plan or half a step cannot be continued. */
function cutHint({ part }: TurnPart): string {
  if (part === 'answer') return 'Ask for a shorter answer, or choose a model with longer replies.';
  return part === 'node'
    ? 'Ask for less in one step, or choose a model with longer replies.'
    : 'Ask for less at once, or choose a model with longer replies.';
}

/**
 * Whether a reply was cut at the limit that was sent. A model that reports less than half of it stopped at a
 * limit of its own, which no budget raises; the half allows for providers that count differently.
 */
function cutAtOurs({ outputTokens, estimated }: Usage, { maxOutputTokens }: OutputBudget): boolean {
  if (maxOutputTokens === undefined) return false;
  return estimated === true || outputTokens * 2 >= maxOutputTokens;
}

/** A reply whose first thinking says how long all of it took. */
function timed(reply: Result<ModelTurn>, ms: number): Result<ModelTurn> {
  const { parts } = reply.ok ? reply.value : {};
  const first = parts?.findIndex(({ type }) => type === 'thinking') ?? -1;
  if (!reply.ok || !parts || first === -1 || ms === 0) return reply;
  return ok({
    ...reply.value,
    parts: parts.map((part, at) => (at === first && part.type === 'thinking' ? { ...part, ms } : part)),
  });
}

/** Sends the request and records its usage once: when the reply ends, or as soon as it is stopped. */
async function send(
  models: ModelClient,
  request: ModelRequest,
  meter: RunMeter,
  signal: AbortSignal,
  call: TurnPart & { readonly budget: OutputBudget },
): Promise<{ readonly reply: Result<ModelTurn>; readonly usage: Usage }> {
  const { budget, limit } = call;
  const spent = createCallUsage(request, meter.estimate);
  const metered = meter.callBegan({ part: call.part, node: call.node, model: request.model });
  let usage: Usage | null = null;
  const count = (error?: AppError): Usage => {
    if (usage) return usage;
    usage = spent.usage();
    metered.ended(usage, error);
    return usage;
  };
  const onAbort = (): void => void count(cancelled);
  const onEvent = (event: ModelEvent): void => {
    if (event.type === 'text' || event.type === 'thinking' || event.type === 'tool-call')
      metered.replied(event.type === 'thinking');
    if (event.type === 'thinking') call.onThought?.(event.text);
    if (event.type === 'retrying') metered.delayed(event.error, event.inMs);
    spent.observe(event);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const ended = await collect(models.stream(request, signal), onEvent, meter, budget);
  signal.removeEventListener('abort', onAbort);
  if (ended === 'over' || 'cutBy' in ended) {
    const spentNow = usage ?? spent.usage();
    const error =
      ended === 'over' || cutAtOurs(spentNow, budget)
        ? budget.breach(spentNow)
        : { ...ended.cutBy, hint: cutHint(call) };
    return { reply: err(error), usage: count(error) };
  }
  const used = count(ended.ok ? undefined : ended.error);
  const breached = ended.ok ? breachedLimit(used, meter, limit) : null;
  return { reply: breached ? err(breached) : timed(ended, metered.thoughtMs()), usage: used };
}

/** The purpose of a turn, and its own limit. */
export interface TurnPart {
  readonly part: ModelCallPart;
  readonly node?: string;
  readonly limit?: TurnLimit;
  readonly onThought?: (text: string) => void;
}

/**
 * Makes one model turn and reports its usage however it ends: a call that fails, is cut off or is stopped
 * counts like any other. BUDGET/TOKEN_LIMIT when the input does not fit, or when the reply is cut at or
 * exceeds the run's limit or the call's own. The offline provider is not a model: asking it returns
 * LLM/UNAVAILABLE, or the reason why the configured models cannot be used.
 */
export async function modelTurn(
  models: ModelClient,
  request: ModelRequest,
  meter: RunMeter,
  signal: AbortSignal,
  part: TurnPart,
): Promise<{ readonly reply: Result<ModelTurn>; readonly usage: Usage }> {
  const refused = (error: AppError) => ({ reply: err(error), usage: noUsage });
  if (request.model.providerId === offlineProviderId) return refused(models.setupProblem() ?? noModel);
  const budget = await outputBudgetFor(request, meter, part.limit);
  if (!budget.ok) return refused(budget.error);
  if (signal.aborted) return refused(cancelled);
  const { maxOutputTokens = Infinity, ...rest } = budget.value;
  const { maxOutputTokens: requested = Infinity } = request;
  // A reply cut at the shorter length that the request asked for exceeds no limit.
  if (requested < maxOutputTokens) return send(models, request, meter, signal, { ...part, budget: rest });
  const sent = { ...request, ...(maxOutputTokens < Infinity && { maxOutputTokens }) };
  return send(models, sent, meter, signal, { ...part, budget: budget.value });
}
