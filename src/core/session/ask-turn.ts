import { appError, type AppError } from '#shared/app-error';
import { addUsage, noUsage, offlineProviderId, type ModelRef, type Usage } from '#shared/model';
import { ok, type Result } from '#shared/result';
import type { MessagePart } from '#shared/run-fact';
import type { FailedAttempt, ReplyOutcome, SessionFact } from '#shared/session-event';
import type { Clock } from '../ports/clock';
import type {
  ModelClient,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  ModelToolCall,
  ResponseOptions,
} from '../ports/llm';
import { createCallUsage, type CallUsage, type TokenEstimate } from '../tools/model-usage';
import type { ModelCallOutcome } from './model-context';

interface AskDeps {
  readonly models: ModelClient;
  readonly clock: Clock;
  /** Token counts for texts that no provider counted. */
  readonly estimate: TokenEstimate;
  readonly show: (offset: number, text: string) => void;
  /** Commits facts; false when the session is no longer writable. */
  readonly record: (facts: readonly SessionFact[]) => boolean;
  /** Commits the last facts of a turn and retries until it succeeds. */
  readonly recordLast: (facts: readonly SessionFact[]) => void;
}

/** What a request has to continue. */
export interface ComposeSo {
  /** Calls of earlier rounds and their results, which follow the composed messages. */
  readonly exchanged: readonly ModelMessage[];
  /** The provider refused the same request as too long. */
  readonly refused: boolean;
  readonly signal: AbortSignal;
}

/** A request without its model; `fitted`: earlier turns were just summarised for it. */
export interface ComposedRequest extends Pick<ModelRequest, 'messages' | 'tools'>, ResponseOptions {
  readonly fitted: boolean;
}

export interface AskRequest {
  readonly turn: number;
  readonly model: ModelRef;
  /**
   * Builds the request when a model call begins, because an earlier tool call may have changed the mode and a
   * snapshot may be due. An error ends the reply.
   */
  readonly compose: (so: ComposeSo) => Promise<Result<ComposedRequest>>;
  /** The current limit of tool-call rounds; a reply that exceeds it fails as endless. */
  readonly maxRounds: () => number;
  /** Makes a tool call of the model through the gate. */
  readonly callTool: (call: ModelToolCall, signal: AbortSignal) => Promise<ModelCallOutcome>;
}

/** The text that a model reads as the answer to its call. */
export const answerText = (result: Result<string>): string =>
  result.ok ? result.value : JSON.stringify({ error: result.error });

/** The outcome of a line in Ask. */
export interface AskReport {
  readonly outcome: ReplyOutcome;
  readonly text: string;
  /** What the model thought, if it showed it. */
  readonly thinking?: string;
  readonly usage?: Usage;
  readonly error?: AppError;
}

type Ending = Omit<AskReport, 'text' | 'thinking'>;

const unsaved = appError('HOST', 'STORAGE', 'The reply was stopped because it could not be saved.', {
  hint: 'Free some disk space, then send the line again.',
  retryable: true,
});
const endless = appError('LLM', 'INVALID_REPLY', 'The model kept calling tools and gave no answer.', {
  hint: 'Ask again, or say what you want in other words.',
  retryable: true,
});

interface TurnContext {
  readonly deps: AskDeps;
  readonly request: AskRequest;
  readonly writer: ReplyWriter;
  readonly thoughts: ThoughtRecorder;
  readonly signal: AbortSignal;
}

const sum = (a: Usage | undefined, b: Usage | undefined): Usage | undefined =>
  a && b ? addUsage(a, b) : (a ?? b);

/** The result of one model call: its text, the tools it called, its outcome and its usage. */
interface Round {
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  /** The message in parts, where it has more than text and calls. */
  readonly parts?: readonly MessagePart[];
  readonly ending: { readonly outcome: ReplyOutcome; readonly error?: AppError };
  readonly usage?: Usage;
}

const unfinished = appError('LLM', 'INVALID_REPLY', 'The reply ended without a finish reason.', {
  retryable: true,
});

function failed(error: AppError, signal: AbortSignal): Round['ending'] {
  const stopped = signal.aborted && error.kind === 'HOST' && error.code === 'CANCELLED';
  return stopped ? { outcome: 'stopped' } : { outcome: 'failed', error };
}

/** Reads one stream to its end and writes its text as it arrives, after the text of earlier rounds. */
async function readRound(
  events: AsyncIterable<ModelEvent>,
  { writer, thoughts }: Pick<TurnContext, 'writer' | 'thoughts'>,
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
  const ended = (ending: Round['ending'], parts?: readonly MessagePart[]): Round => {
    thoughts.end();
    const usage = spent.usage();
    return { text, calls, ending, ...(parts && { parts }), ...(usage.modelTurns > 0 && { usage }) };
  };
  for await (const event of events) {
    spent.observe(event);
    if (event.type === 'thinking') thoughts.add(event.text);
    else if (event.type !== 'retrying') thoughts.end();
    if (event.type === 'text') write(event.text);
    else if (event.type === 'tool-call') calls.push(event.call);
    else if (event.type === 'error') return ended(failed(event.error, signal));
    else if (event.type === 'end') return ended({ outcome: 'done' }, event.parts);
  }
  return ended(signal.aborted ? { outcome: 'stopped' } : failed(unfinished, signal));
}

/** Executes the calls of a round in order and returns the messages that answer them. */
async function answerCalls(
  { deps, request, writer, signal }: TurnContext,
  round: Round,
): Promise<readonly ModelMessage[]> {
  const answers: ModelMessage[] = [];
  // The questions and effects of the calls come after these words, in the events and on the screen.
  writer.flush();
  for (const call of round.calls) {
    if (signal.aborted) break;
    const { record, result } = await request.callTool(call, signal);
    deps.record([{ type: 'host-tool-called', turn: request.turn, call: record }]);
    answers.push({ role: 'tool', toolCallId: call.id, content: answerText(result) });
  }
  const { text: content, calls: toolCalls, parts } = round;
  return [{ role: 'assistant', content, toolCalls, ...(parts && { parts }) }, ...answers];
}

/**
 * Reads the reply to one request and records the call, whatever its outcome; answers of the offline provider
 * are not recorded as calls.
 */
async function callModel(context: TurnContext, sent: ModelRequest): Promise<Round> {
  const { deps, request, signal } = context;
  const { clock, models, record } = deps;
  const { turn, model } = request;
  const spent = createCallUsage(sent, deps.estimate);
  const began = clock.elapsed();
  let firstMs: number | undefined;
  const failedAttempts: FailedAttempt[] = [];
  const observe: CallUsage['observe'] = (event) => {
    if (event.type === 'retrying') {
      const { error, inMs: waitMs } = event;
      failedAttempts.push({ ms: clock.elapsed() - began, failure: `${error.kind}/${error.code}`, waitMs });
      record([{ type: 'reply-delayed', turn, error, waitMs }]);
    }
    if (event.type === 'text' || event.type === 'thinking' || event.type === 'tool-call')
      firstMs ??= clock.elapsed() - began;
    spent.observe(event);
  };
  const round = await readRound(models.stream(sent, signal), context, { ...spent, observe }, signal);
  if (model.providerId === offlineProviderId) return round;
  const { usage = noUsage, ending } = round;
  const { outcome, error } = ending;
  const failure = error ? `${error.kind}/${error.code}` : outcome === 'stopped' ? 'HOST/CANCELLED' : null;
  const ms = clock.elapsed() - began;
  const times = {
    ms,
    ...(firstMs !== undefined && { firstMs }),
    ...(failure !== null && { failure }),
    ...(failedAttempts.length > 0 && { failedAttempts }),
  };
  record([{ type: 'model-called', turn, part: 'reply', model, usage, ...times }]);
  return round;
}

const tooLong = ({ ending, text }: Round): boolean =>
  ending.error?.kind === 'LLM' && ending.error.code === 'CONTEXT_LIMIT' && text === '';

/** Makes one call; a request that the provider refuses as too long is made once more if it can be shortened. */
async function callFitting(context: TurnContext, exchanged: readonly ModelMessage[]): Promise<Result<Round>> {
  const { request, signal } = context;
  const call = async ({ fitted: _fitted, messages, ...rest }: ComposedRequest): Promise<Round> =>
    callModel(context, { ...rest, model: request.model, messages: [...messages, ...exchanged] });
  const composed = await request.compose({ exchanged, refused: false, signal });
  if (!composed.ok) return composed;
  const round = await call(composed.value);
  if (!tooLong(round) || signal.aborted) return ok(round);
  const shorter = await request.compose({ exchanged, refused: true, signal });
  if (!shorter.ok || !shorter.value.fitted) return ok(round);
  const retried = await call(shorter.value);
  const usage = sum(round.usage, retried.usage);
  return ok({ ...retried, ...(usage && { usage }) });
}

/** Calls the model until it answers instead of calling tools. */
async function converse(context: TurnContext): Promise<Ending> {
  const { request, signal } = context;
  let exchanged: readonly ModelMessage[] = [];
  let usage: Usage | undefined;
  // The limit never shrinks: after a workflow ends, the model still has to give its answer.
  let maxRounds = request.maxRounds();
  for (let count = 0; count < maxRounds; count += 1) {
    const called = await callFitting(context, exchanged);
    if (!called.ok) return { outcome: 'failed', error: called.error, ...(usage && { usage }) };
    const round = called.value;
    usage = sum(usage, round.usage);
    const ending = { ...round.ending, ...(usage && { usage }) };
    if (round.ending.outcome !== 'done' || round.calls.length === 0) return ending;
    exchanged = [...exchanged, ...(await answerCalls(context, round))];
    if (signal.aborted) return { ...ending, outcome: 'stopped' };
    maxRounds = Math.max(maxRounds, request.maxRounds());
  }
  return { outcome: 'failed', error: endless, ...(usage && { usage }) };
}

/**
 * Answers one line and records the reply; received text is kept, whatever ends the stream. Usually makes one
 * model call, plus one for each round of built-in tools that the model calls. The caller records the turn's
 * `reply-started`.
 */
export async function askTurn(deps: AskDeps, request: AskRequest, stop: AbortSignal): Promise<AskReport> {
  const { turn } = request;
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
  const thoughts = createThoughtRecorder(deps, turn);
  const ending = await converse({ deps, request, writer, thoughts, signal });
  stop.removeEventListener('abort', abort);
  const report: Ending = lost ? { outcome: 'failed', error: unsaved } : ending;
  const rest = writer.finish();
  deps.recordLast([
    ...(rest === '' ? [] : [{ type: 'reply-extended' as const, turn, text: rest }]),
    { type: 'reply-ended', turn, ...report },
  ]);
  const thinking = thoughts.text();
  return { text: writer.text(), ...(thinking !== '' && { thinking }), ...report };
}

/** Records what the model thinks as it comes, with the time that it took. */
type ThoughtRecorder = ReturnType<typeof createThoughtRecorder>;

function createThoughtRecorder({ clock, record }: AskDeps, turn: number) {
  let whole = '';
  /** Thinking time of the stretches that are over, and the stretch under way. */
  let spentMs = 0;
  let current: { readonly since: number; readonly writer: ReplyWriter } | null = null;
  const time = (): number => spentMs + (current ? clock.elapsed() - current.since : 0);
  const save = (text: string): boolean =>
    record([{ type: 'reply-thought', turn, text, ms: Math.round(time()) }]);
  const begin = () => {
    const writer = createReplyWriter({
      clock,
      show: () => undefined,
      save,
      // The reply itself cannot be saved either then, and says so.
      onFailure: () => undefined,
    });
    return { since: clock.elapsed(), writer };
  };
  return {
    add(text: string): void {
      const piece = current === null && whole !== '' ? `\n\n${text}` : text;
      current ??= begin();
      whole += piece;
      current.writer.write(piece);
    },
    /** The model continues with text or calls. */
    end(): void {
      if (current === null) return;
      const rest = current.writer.finish();
      spentMs = time();
      current = null;
      save(rest);
    },
    text: () => whole,
  };
}

interface ReplyWriterDeps {
  readonly clock: Clock;
  /** Shows text at once; `offset` is in UTF-16 code units of the whole reply. */
  readonly show: (offset: number, text: string) => void;
  /** Commits text; false when the commit failed. */
  readonly save: (text: string) => boolean;
  /** Called when a save failed. */
  readonly onFailure: () => void;
}

/** Writes a reply: shows each piece as it arrives and saves in larger pieces. */
export type ReplyWriter = ReturnType<typeof createReplyWriter>;

const firstSaveMs = 50;
const saveMs = 500;
/** In UTF-16 code units; UTF-8 needs at most three bytes for each. */
const saveLength = 4_096;

/**
 * Saves the first piece within 50 ms, and after that at least every 500 ms or 4,096 units. A `kill -9`
 * therefore loses only text that was on screen for less than that, and a long reply takes a few hundred rows
 * instead of one per token.
 */
function createReplyWriter({ clock, show, save, onFailure }: ReplyWriterDeps) {
  let whole = '';
  let unsaved = '';
  let saved = false;
  let cancelTimer: (() => void) | null = null;

  const flush = (): void => {
    cancelTimer?.();
    cancelTimer = null;
    if (unsaved === '') return;
    if (save(unsaved)) {
      unsaved = '';
      saved = true;
    } else onFailure();
  };

  return {
    write(text: string): void {
      if (text === '') return;
      show(whole.length, text);
      whole += text;
      unsaved += text;
      if (unsaved.length >= saveLength) flush();
      else cancelTimer ??= clock.after(saved ? saveMs : firstSaveMs, flush);
    },
    /** Saves the unsaved text. */
    flush,
    /** Stops the timer and returns the unsaved text. */
    finish(): string {
      cancelTimer?.();
      cancelTimer = null;
      return unsaved;
    },
    /** The whole reply so far. */
    text: (): string => whole,
  };
}
