import { invalidFailure, type Endpoint, type Failure } from './failure';
import type { LlmLimits } from './limits';
import { createReplyAssembly, type ReplyOutcome } from './reply-assembly';
import { ReplyChunk, ReportedError } from './reply-chunk';
import { reportedFailure } from './reported-failure';

/** The result of reading a chunk: text to forward, whether the stream ended, or why to stop. */
export interface Read {
  readonly text: string;
  readonly done: boolean;
  readonly failure?: Failure;
}

export type ReplyReader = ReturnType<typeof createReplyReader>;

/** Converts the text of a response body into the parts of a reply. */
export function createReplyReader(endpoint: Endpoint, limits: LlmLimits) {
  const parser = createSseParser(limits.eventLength);
  const assembly = createReplyAssembly();
  let done = false;
  let anyEvent = false;

  const one = (data: string): Read => {
    anyEvent = true;
    if (data.trim() === '[DONE]') {
      done = true;
      return { text: '', done };
    }
    const chunk = parseChunk(data);
    if (chunk === null) return { text: '', done, failure: invalidFailure('something unreadable', endpoint) };
    const error = errorOf(chunk);
    if (error !== null) return { text: '', done, failure: streamFailure(error, endpoint) };
    const text = assembly.accept(chunk);
    if (assembly.tooManyCalls())
      return { text, done, failure: invalidFailure('tool calls without end', endpoint) };
    if (assembly.length() > limits.replyLength)
      return { text, done, failure: invalidFailure('a reply without end', endpoint) };
    return { text, done };
  };
  const all = (given: SseData): Read => {
    let text = '';
    for (const data of given.events) {
      const read = one(data);
      text += read.text;
      if (read.done || read.failure !== undefined) return { ...read, text };
    }
    if (!given.tooLong) return { text, done };
    return { text, done, failure: invalidFailure('a line without end', endpoint) };
  };
  return {
    push: (wire: string): Read => all(parser.push(wire)),
    /** The connection has closed; `rest` is the decoder's remaining text. */
    finish: (rest: string): Read => {
      if (done) return { text: '', done };
      const read = all(parser.push(rest));
      const last = read.failure === undefined && !read.done ? all(onlyWhole(parser.end())) : read;
      if (anyEvent) return last;
      return { ...last, failure: invalidFailure('something that is not a reply', endpoint) };
    },
    /** Reads a complete reply in one JSON document. */
    document: (json: string): Read => {
      const read = one(json);
      done = true;
      return read;
    },
    end: (): ReplyOutcome => assembly.end(done),
    /** The server's token counts so far. */
    usage: assembly.usage,
  };
}

/**
 * Drops a last event that the closing connection truncated: the failure is a broken connection, not invalid
 * data.
 */
function onlyWhole(given: SseData): SseData {
  return {
    ...given,
    events: given.events.filter((data) => data.trim() === '[DONE]' || parseChunk(data) !== null),
  };
}

function parseChunk(data: string): ReplyChunk | null {
  try {
    const parsed = ReplyChunk.safeParse(JSON.parse(data));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

const errorOf = (chunk: ReplyChunk): unknown => chunk.error ?? (chunk.object === 'error' ? chunk : null);

/** Errors inside a stream have no HTTP status, so their code determines the failure where possible. */
function streamFailure(error: unknown, endpoint: Endpoint): Failure {
  const parsed = ReportedError.safeParse(error);
  const { message, code } = parsed.success ? parsed.data : { message: '', code: '' };
  return reportedFailure({ ...statusOf(code), message, code, model: 'this model' }, endpoint);
}

const codes: readonly (readonly [RegExp, number])[] = [
  [/rate_limit|429|quota/i, 429],
  [/api_key|auth|permission|401|403/i, 401],
  [/context|413/i, 400],
  [/invalid_request|400/i, 400],
];

/** The HTTP status that a code contains or stands for; a server error if unknown. */
function statusOf(code: string): { readonly status: number; readonly guessed?: true } {
  const named = /\b[45]\d\d\b/.exec(code);
  if (named) return { status: Number(named[0]) };
  return { status: codes.find(([pattern]) => pattern.test(code))?.[1] ?? 500, guessed: true };
}
/** Data of the complete events, in order; `tooLong` when a line or an event exceeded the limit. */
export interface SseData {
  readonly events: readonly string[];
  readonly tooLong: boolean;
}
/** The chunks of an unfinished text; joined once, so that a long line costs linear time. */
function createPieces() {
  let pieces: string[] = [];
  let length = 0;
  return {
    add(piece: string): void {
      pieces.push(piece);
      length += piece.length;
    },
    length: () => length,
    take(separator: string): string {
      const text = pieces.join(separator);
      pieces = [];
      length = 0;
      return text;
    },
    isEmpty: () => pieces.length === 0,
  };
}
/**
 * Parses server-sent events from any chunks (WHATWG HTML §9.2.6) and returns only their data: chat
 * completions do not use event names, ids and comments. `limit` bounds one event in UTF-16 units. `end` also
 * returns a last event that no blank line closed.
 */

export function createSseParser(limit: number) {
  const line = createPieces();
  const data = createPieces();
  let events: string[] = [];
  let afterCarriageReturn = false;

  const closeLine = (): void => {
    const text = line.take('');
    if (text === '') {
      if (!data.isEmpty()) events.push(data.take('\n'));
      return;
    }
    if (text === 'data') data.add('');
    else if (text.startsWith('data:')) data.add(text.slice(text.startsWith('data: ') ? 6 : 5));
  };
  const given = (): SseData => {
    const complete = events;
    events = [];
    return { events: complete, tooLong: line.length() > limit || data.length() > limit };
  };
  const push = (chunk: string): SseData => {
    const text = afterCarriageReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    if (chunk !== '') afterCarriageReturn = chunk.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|\n|\r/);
    line.add(first);
    for (const other of others) {
      closeLine();
      line.add(other);
    }
    return given();
  };
  const end = (): SseData => {
    closeLine();
    closeLine();
    return given();
  };
  return { push, end };
}
