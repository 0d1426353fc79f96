import { assertNever } from '#shared/result';
import type { Clock } from '../../../core/ports/clock';
import type { ModelEvent, ModelRequest } from '../../../core/ports/llm';
import { callIdForm, withCallIds, withUniqueCallIds } from './call-ids';
import { createDeadline, type Deadline } from './deadline';
import {
  brokenFailure,
  cancelled,
  closedFailure,
  failure,
  invalidFailure,
  timeoutError,
  type Endpoint,
  type Failure,
} from './failure';
import { imagesOf } from './image-parts';
import type { LlmLimits } from './limits';
import { createSdk, readAtMost, type Fetch } from './openai-http';
import { openedMessages, sealedParts } from './sealed-parts';
import { refusedPart, type UnsupportedFeatures } from './unsupported-features';
import { createReplyReader, type ReplyReader } from './reply-reader';
import { toLlmError } from './to-llm-error';
import type { ReplyOutcome } from './wire';
import { wires } from './wires';

export interface HttpDeps {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly limits: LlmLimits;
  readonly refused: UnsupportedFeatures;
}

/** The output of one request: the events of a reply, or the failure that ended it. */
export type AttemptEvent =
  | Extract<ModelEvent, { type: 'text' | 'thinking' | 'tool-call' | 'end' }>
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
  const refusal = wires[endpoint.wire].refusal?.(request);
  if (refusal) {
    yield failed({ error: refusal, retries: 0 });
    return;
  }
  const deadline = createDeadline(deps.clock, signal);
  const limits = { ...deps.limits, ...endpoint.limits };
  let phase: keyof typeof lateWords = 'headersMs';
  let came = false;
  const reader = createReplyReader(endpoint, limits, wires[endpoint.wire].assembly());
  const counted = (failure: Failure): AttemptEvent => failed({ usage: reader.usage(), ...failure });
  try {
    deadline.within(limits.headersMs);
    const response = await openReply(deps, endpoint, request, deadline.signal);
    phase = 'idleMs';
    deadline.within(limits.idleMs);
    for await (const event of readReply(response, { limits, endpoint, deadline, reader, request })) {
      came ||= event.type === 'text' || event.type === 'thinking';
      yield event.type === 'failed' ? counted(event.failure) : event;
    }
  } catch (thrown) {
    if (signal.aborted) yield counted(cancelled());
    else if (deadline.late()) yield counted(timeoutError(lateWords[phase], limits[phase], endpoint));
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
  const wire = wires[endpoint.wire];
  const sdk = await createSdk(endpoint, wire.headers(endpoint), fetch);
  const { model } = request.model;
  const opened = withUniqueCallIds(openedMessages(request.messages, endpoint.wire, request.model));
  for (;;) {
    const left = new Set([...refused.of(endpoint.baseUrl, model), ...(endpoint.omits ?? [])]);
    try {
      const messages = withCallIds(opened, callIdForm(endpoint, model, left));
      const body = wire.body({ ...request, messages }, endpoint, left);
      return await sdk.post(wire.path(endpoint), { body, signal, stream: true }).asResponse();
    } catch (thrown) {
      const part = refusedPart(thrown, wire.optional, left);
      if (part === undefined) throw thrown;
      refused.note(endpoint.baseUrl, model, part);
    }
  }
}

const lateWords = { headersMs: 'did not answer', idleMs: 'stopped in the middle of the reply: nothing came' };

interface Reading {
  readonly limits: LlmLimits;
  readonly endpoint: Endpoint;
  readonly deadline: Deadline;
  readonly reader: ReplyReader;
  readonly request: ModelRequest;
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
async function* readDocument(response: Response, reading: Reading): AsyncGenerator<AttemptEvent> {
  const { limits, endpoint, reader } = reading;
  const { bytes, whole } = await readAtMost(response, limits.replyBytes);
  if (!whole) {
    yield failed(invalidFailure('a reply without end', endpoint));
    return;
  }
  yield* outcome(reader.document(new TextDecoder().decode(bytes)), reading);
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

async function* readEvents(response: Response, reading: Reading): AsyncGenerator<AttemptEvent> {
  const { limits, endpoint, deadline, reader } = reading;
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of piecesOf(response, reader, deadline)) {
    deadline.pause();
    bytes += chunk.length;
    const read = reader.push(decoder.decode(chunk, { stream: true }));
    yield* read.pieces;
    if (read.failure !== undefined) {
      yield failed(read.failure);
      return;
    }
    if (read.done) break;
    if (bytes > limits.replyBytes) {
      yield failed(invalidFailure('a reply without end', endpoint));
      return;
    }
    deadline.within(limits.idleMs);
  }
  yield* outcome(reader.finish(decoder.decode()), reading);
}

async function* outcome(
  read: ReturnType<ReplyReader['finish']>,
  { reader, endpoint, request }: Reading,
): AsyncGenerator<AttemptEvent> {
  yield* read.pieces;
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
  const parts = end.parts && sealedParts(end.parts, endpoint.wire, request.model);
  yield { type: 'end', ...end.usage, ...(parts && { parts }) };
}

function endFailure(end: Exclude<ReplyOutcome, { type: 'complete' }>, endpoint: Endpoint): Failure {
  switch (end.type) {
    case 'unfinished':
      return end.came ? brokenFailure(endpoint, 0) : invalidFailure('a stream without a reply', endpoint);
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
    case 'only-thinking':
      return failure('INVALID_REPLY', 'The model thought and gave no answer.', {
        retryable: true,
        hint: 'Send again, or let it think less.',
      });
    case 'nameless-call':
      return invalidFailure('a tool call without a name', endpoint);
    default:
      return assertNever(end);
  }
}

const failed = (failure: Failure): AttemptEvent => ({ type: 'failed', failure });
