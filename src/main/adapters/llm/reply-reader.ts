import { invalidFailure, type Endpoint, type Failure } from './failure';
import type { LlmLimits } from './limits';
import { noError, ReportedError } from './reported-error';
import { reportedFailure } from './reported-failure';
import { createSseParser, type SseData } from './sse';
import { parsedJson, type ReplyAssembly, type ReplyOutcome, type WireEvent } from './wire';

export interface ReplyPiece {
  readonly type: 'text' | 'thinking';
  readonly text: string;
}

/** The result of reading a chunk: pieces to forward, whether the stream ended, or why to stop. */
export interface Read {
  readonly pieces: readonly ReplyPiece[];
  readonly done: boolean;
  readonly failure?: Failure;
}

export type ReplyReader = ReturnType<typeof createReplyReader>;

/** Converts the text of a response body into the parts of a reply, within the limits. */
export function createReplyReader(endpoint: Endpoint, limits: LlmLimits, assembly: ReplyAssembly) {
  const parser = createSseParser(limits.eventLength);
  let done = false;
  let anyEvent = false;

  const taken = (event: WireEvent | null): Read => {
    anyEvent = true;
    if (event === null) return failed('something unreadable');
    if (event.error !== undefined) return { pieces: [], done, failure: streamFailure(event.error, endpoint) };
    done ||= event.done === true;
    const pieces = piecesOf(event);
    if (assembly.tooManyCalls()) return failed('tool calls without end', pieces);
    if (assembly.length() > limits.replyLength) return failed('a reply without end', pieces);
    return { pieces, done };
  };
  const failed = (what: string, pieces: readonly ReplyPiece[] = []): Read => ({
    pieces,
    done,
    failure: invalidFailure(what, endpoint),
  });
  const all = (parsed: SseData): Read => {
    const pieces: ReplyPiece[] = [];
    for (const data of parsed.events) {
      const read = taken(assembly.read(data));
      pieces.push(...read.pieces);
      if (read.done || read.failure !== undefined) return { ...read, pieces: merged(pieces) };
    }
    return parsed.tooLong ? failed('a line without end', merged(pieces)) : { pieces: merged(pieces), done };
  };
  return {
    push: (wire: string): Read => all(parser.push(wire)),
    /** The connection has closed; `rest` is the decoder's remaining text. */
    finish: (rest: string): Read => {
      if (done) return { pieces: [], done };
      const read = all(parser.push(rest));
      const last = read.failure === undefined && !read.done ? all(onlyWhole(parser.end())) : read;
      const pieces = last === read ? read.pieces : merged([...read.pieces, ...last.pieces]);
      if (anyEvent) return { ...last, pieces };
      return { ...last, failure: invalidFailure('something that is not a reply', endpoint) };
    },
    /** Reads a complete reply in one JSON document. */
    document: (json: string): Read => {
      const read = taken(assembly.readDocument(json));
      done = true;
      return read;
    },
    end: (): ReplyOutcome => assembly.end(done),
    /** The server's token counts so far. */
    usage: assembly.usage,
  };
}

const piecesOf = ({ text = '', thinking = '' }: WireEvent): readonly ReplyPiece[] => [
  ...(thinking === '' ? [] : [{ type: 'thinking' as const, text: thinking }]),
  ...(text === '' ? [] : [{ type: 'text' as const, text }]),
];

/** Joins neighbours of one type. */
function merged(pieces: readonly ReplyPiece[]): readonly ReplyPiece[] {
  const joined: { type: ReplyPiece['type']; texts: string[] }[] = [];
  for (const { type, text } of pieces) {
    const last = joined.at(-1);
    if (last?.type === type) last.texts.push(text);
    else joined.push({ type, texts: [text] });
  }
  return joined.map(({ type, texts }) => ({ type, text: texts.join('') }));
}

/**
 * Drops a last event that the closing connection truncated: the failure is a broken connection, not invalid
 * data.
 */
function onlyWhole(parsed: SseData): SseData {
  return {
    ...parsed,
    events: parsed.events.filter((data) => data.trim() === '[DONE]' || parsedJson(data) !== undefined),
  };
}

/** Errors inside a stream have no HTTP status, so their code determines the failure where possible. */
function streamFailure(error: unknown, endpoint: Endpoint): Failure {
  const parsed = ReportedError.safeParse(error);
  const report = parsed.success ? parsed.data : noError;
  return reportedFailure({ ...statusOf(report.code), ...report, model: 'this model' }, endpoint);
}

const codes: readonly (readonly [RegExp, number])[] = [
  [/rate_limit|429|quota/i, 429],
  [/overloaded/i, 529],
  [/api_key|auth|permission|401|403/i, 401],
  [/context|413|too_large/i, 400],
  [/invalid_request|400|invalid_prompt/i, 400],
];

/** The HTTP status that a code contains or stands for; a server error if unknown. */
function statusOf(code: string): { readonly status: number; readonly guessed?: true } {
  const named = /\b[45]\d\d\b/.exec(code);
  if (named) return { status: Number(named[0]) };
  return { status: codes.find(([pattern]) => pattern.test(code))?.[1] ?? 500, guessed: true };
}
