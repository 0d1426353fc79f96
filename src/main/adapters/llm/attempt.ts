import { assertNever } from '#shared/result';
import type { Clock } from '../../../core/ports/clock';
import type { ModelEvent, ModelMessage, ModelRequest } from '../../../core/ports/llm';
import { createDeadline, type Deadline } from './deadline';
import {
  brokenFailure,
  cancelled,
  closedFailure,
  failure,
  hostOf,
  invalidFailure,
  timeoutError,
  type Endpoint,
  type Failure,
} from './failure';
import { imagesOf, withImages } from './image-parts';
import type { LlmLimits } from './limits';
import { createSdk, readAtMost, type Fetch } from './openai-http';
import { refusedPart, type OptionalPart, type UnsupportedFeatures } from './unsupported-features';
import { createReplyReader, type ReplyReader } from './reply-reader';
import type { ReplyOutcome } from './reply-assembly';
import { toLlmError } from './to-llm-error';
import type { ChatCompletionCreateParamsStreaming, ChatCompletionMessageParam } from 'openai/resources';

export interface HttpDeps {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly limits: LlmLimits;
  readonly refused: UnsupportedFeatures;
}

/** The output of one request: the events of a reply, or the failure that ended it. */
export type AttemptEvent =
  | Extract<ModelEvent, { type: 'text' | 'tool-call' | 'end' }>
  | { readonly type: 'failed'; readonly failure: Failure };

/**
 * Makes one request and streams its reply. Never throws; ends with `end` or `failed`. Leaving the loop early
 * cancels the request.
 */
export async function* attemptReply(
  deps: HttpDeps,
  endpoint: Endpoint,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<AttemptEvent> {
  const deadline = createDeadline(deps.clock, signal);
  let phase: keyof typeof lateWords = 'headersMs';
  let came = false;
  const reader = createReplyReader(endpoint, deps.limits);
  const counted = (failure: Failure): AttemptEvent => failed({ usage: reader.usage(), ...failure });
  try {
    deadline.within(deps.limits.headersMs);
    const response = await openReply(deps, endpoint, request, deadline.signal);
    phase = 'idleMs';
    deadline.within(deps.limits.idleMs);
    for await (const event of readReply(response, { deps, endpoint, deadline, reader })) {
      came ||= event.type === 'text';
      yield event.type === 'failed' ? counted(event.failure) : event;
    }
  } catch (thrown) {
    if (signal.aborted) yield counted(cancelled());
    else if (deadline.late()) yield counted(timeoutError(lateWords[phase], deps.limits[phase], endpoint));
    else if (phase === 'idleMs') yield counted(brokenOff(endpoint, came));
    else {
      const refused = toLlmError(thrown, askedFor(endpoint, request, deps.clock.now()));
      yield failed({ ...refused, unanswered: true });
    }
  } finally {
    deadline.close();
  }
}

const brokenOff = (endpoint: Endpoint, came: boolean): Failure =>
  came ? brokenFailure(endpoint, 0) : closedFailure(endpoint, 0);

const askedFor = (endpoint: Endpoint, { model, messages }: ModelRequest, now: number) => ({
  endpoint,
  model: model.model,
  images: imagesOf(messages).length,
  now,
});

/**
 * Sends the request; repeats it without each part that the server rejects as unsupported, and never sends
 * that part to this server and model again.
 */
async function openReply(
  { fetch, refused }: HttpDeps,
  endpoint: Endpoint,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Response> {
  const sdk = await createSdk(endpoint, fetch);
  const { model } = request.model;
  for (;;) {
    const left = refused.of(endpoint.baseUrl, model);
    try {
      const body = requestBody(request, hostOf(endpoint), left);
      return await sdk.chat.completions.create(body, { signal }).asResponse();
    } catch (thrown) {
      const part = refusedPart(thrown);
      if (part === undefined || left.has(part)) throw thrown;
      refused.note(endpoint.baseUrl, model, part);
    }
  }
}

const lateWords = { headersMs: 'did not answer', idleMs: 'stopped in the middle of the reply: nothing came' };

interface Reading {
  readonly deps: HttpDeps;
  readonly endpoint: Endpoint;
  readonly deadline: Deadline;
  readonly reader: ReplyReader;
}

async function* readReply(response: Response, reading: Reading): AsyncGenerator<AttemptEvent> {
  const { endpoint } = reading;
  const kind = response.headers.get('content-type') ?? '';
  if (/html/i.test(kind)) {
    yield failed({ ...invalidFailure('a web page instead of a reply', endpoint), unanswered: true });
    return;
  }
  if (/^application\/json/i.test(kind)) yield* readDocument(response, reading);
  else yield* readEvents(response, reading);
}

/** Reads the reply of a server that does not stream and answers with one document. */
async function* readDocument(
  response: Response,
  { deps, endpoint, reader }: Reading,
): AsyncGenerator<AttemptEvent> {
  const { bytes, whole } = await readAtMost(response, deps.limits.replyBytes);
  if (!whole) {
    yield failed(invalidFailure('a reply without end', endpoint));
    return;
  }
  yield* outcome(reader.document(new TextDecoder().decode(bytes)), reader, endpoint);
}

/**
 * Yields the body's chunks. Ignores a connection that breaks, or stays open without data, after the model
 * reported its end: the reply is already complete.
 */
async function* piecesOf(
  response: Response,
  reader: ReplyReader,
  deadline: Deadline,
): AsyncGenerator<Uint8Array> {
  try {
    yield* response.body ?? [];
  } catch (thrown) {
    const stopped = deadline.signal.aborted && !deadline.late();
    if (stopped || reader.end().type !== 'complete') throw thrown;
  }
}

async function* readEvents(
  response: Response,
  { deps, endpoint, deadline, reader }: Reading,
): AsyncGenerator<AttemptEvent> {
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of piecesOf(response, reader, deadline)) {
    deadline.pause();
    bytes += chunk.length;
    const read = reader.push(decoder.decode(chunk, { stream: true }));
    if (read.text !== '') yield { type: 'text', text: read.text };
    if (read.failure !== undefined) {
      yield failed(read.failure);
      return;
    }
    if (read.done) break;
    if (bytes > deps.limits.replyBytes) {
      yield failed(invalidFailure('a reply without end', endpoint));
      return;
    }
    deadline.within(deps.limits.idleMs);
  }
  yield* outcome(reader.finish(decoder.decode()), reader, endpoint);
}

async function* outcome(
  read: ReturnType<ReplyReader['finish']>,
  reader: ReplyReader,
  endpoint: Endpoint,
): AsyncGenerator<AttemptEvent> {
  if (read.text !== '') yield { type: 'text', text: read.text };
  if (read.failure !== undefined) {
    yield failed(read.failure);
    return;
  }
  const end = reader.end();
  if (end.type !== 'complete') {
    yield failed(endFailure(end, endpoint));
    return;
  }
  for (const call of end.calls) yield { type: 'tool-call', call };
  yield { type: 'end', ...end.usage };
}

function endFailure(end: Exclude<ReplyOutcome, { type: 'complete' }>, endpoint: Endpoint): Failure {
  switch (end.type) {
    case 'unfinished':
      return brokenOff(endpoint, end.came);
    case 'cut':
      return {
        ...failure('CONTEXT_LIMIT', 'The reply stops here: the model reached its output limit.', {
          hint: 'Ask it to continue, or request a shorter answer.',
        }),
        cut: true,
      };
    case 'filtered':
      return failure('INVALID_REPLY', `The content filter of ${endpoint.name} stopped this reply.`, {
        hint: 'Rephrase the message, or choose another model.',
      });
    case 'empty':
      return invalidFailure('an empty reply', endpoint);
    case 'nameless-call':
      return invalidFailure('a tool call without a name', endpoint);
    default:
      return assertNever(end);
  }
}

const failed = (failure: Failure): AttemptEvent => ({ type: 'failed', failure });
const nothing: ReadonlySet<OptionalPart> = new Set();
/** A chat completions request; equal requests produce equal bytes. Omits the parts in `refused`. */

export function requestBody(
  request: ModelRequest,
  host: string,
  refused = nothing,
): ChatCompletionCreateParamsStreaming {
  const { tools = [], toolChoice } = refused.has('tools') ? {} : request;
  return {
    model: request.model.model,
    messages: withImages(request.messages, wireMessage),
    stream: true,
    ...(!refused.has('stream_options') && { stream_options: { include_usage: true } }),
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: 'function', function: { ...tool } })) }),
    ...(toolChoice === undefined
      ? {}
      : { tool_choice: { type: 'function', function: { name: toolChoice } } }),
    ...responseParts(request, host, refused),
  };
}
/** The settings of the reply, without the parts that the server refused. */
function responseParts(
  { maxOutputTokens, temperature, effort, responseFormat }: ModelRequest,
  host: string,
  refused: ReadonlySet<OptionalPart>,
) {
  return {
    ...(maxOutputTokens === undefined ? {} : outputLimit(maxOutputTokens, host)),
    ...(temperature !== undefined && !refused.has('temperature') && { temperature }),
    ...(effort && !refused.has('reasoning_effort') && { reasoning_effort: effort }),
    ...(responseFormat && !refused.has('response_format') && { response_format: wireFormat(responseFormat) }),
  };
}
function wireFormat({ schema }: NonNullable<ModelRequest['responseFormat']>) {
  return schema
    ? { type: 'json_schema' as const, json_schema: { name: 'reply', schema: { ...schema } } }
    : { type: 'json_object' as const };
}
/** OpenAI's newer models refuse the old name; other servers know only the old one. */
function outputLimit(tokens: number, host: string) {
  return host === 'api.openai.com' ? { max_completion_tokens: tokens } : { max_tokens: tokens };
}
function wireMessage(message: ModelMessage): ChatCompletionMessageParam {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
  if (message.role !== 'assistant') return { role: message.role, content: message.content };
  const calls = message.toolCalls ?? [];
  if (calls.length === 0) return { role: 'assistant', content: message.content };
  return {
    role: 'assistant',
    content: message.content === '' ? null : message.content,
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.argumentsJson },
    })),
  };
}
