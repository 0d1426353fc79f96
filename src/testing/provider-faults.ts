import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { ErrorCode } from '#shared/app-error';
import type { WireName } from '#shared/model';
import type { ModelRequest } from '../core/ports/llm';
import type { LlmLimits } from '../main/adapters/llm/limits';
import { piecesOf, type ScriptedReply } from './scripted-reply';
import { scriptedAnthropic, scriptedChat, scriptedResponses, type ScriptedWire } from './scripted-wires';
import { selfSigned } from './self-signed';

/** One request to a misbehaving server, and the means to answer it in the protocol of the request. */
export interface FaultyExchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly wire: ScriptedWire;
  /** How many requests came before, from 0. */
  readonly before: number;
}

type Serve = (exchange: FaultyExchange) => unknown;

/** What the client makes of a fault: the whole reply, or one typed error after the text that came. */
export type FaultResult = {
  /** The text that is kept. */
  readonly text?: string;
  /** The announced delays, in milliseconds, before the request is sent again. */
  readonly waits?: readonly number[];
  /** How many requests arrive; by default one more than `waits`. */
  readonly requests?: number;
} & (
  | {
      readonly code: ErrorCode<'LLM'>;
      /** What the message says. */
      readonly says: RegExp;
    }
  | { readonly code: 'reply'; readonly inputTokens?: number; readonly calls?: readonly string[] }
);

/** A way in which the server of a model misbehaves, and the result that each protocol must give. */
export interface ProviderFault {
  /** Completes "the server …"; unique. */
  readonly does: string;
  readonly result: FaultResult;
  /** Answers each request; absent where the address itself is at fault. */
  readonly serve?: Serve;
  /** The server in place of one that speaks HTTP; null when nothing listens. */
  readonly server?: (() => Server) | null;
  readonly scheme?: 'https';
  /** The time limit that expires, once the text of the result has come. */
  readonly expires?: 'headersMs' | 'idleMs';
  readonly limits?: Partial<LlmLimits>;
  readonly request?: Partial<ModelRequest>;
  /** Why a protocol cannot meet this fault. */
  readonly impossible?: Partial<Readonly<Record<WireName, string>>>;
}

/** The key that the client sends; no event of a reply may contain it in any form. */
export const faultKey = 'sk-canary/0451+equivalent';

const keyForms = [faultKey, encodeURIComponent(faultKey), Buffer.from(faultKey).toString('base64')];
const echo = `You sent ${keyForms.join(', ')}.`;

const scene = { model: 'large', includeUsage: true };
const half: ScriptedReply = { text: 'one two' };

/** Server-sent events; some protocols name the event beside its data. */
const sse = (event: object | string): string =>
  typeof event === 'string'
    ? `data: ${event}\n\n`
    : `${'type' in event ? `event: ${String(event.type)}\n` : ''}data: ${JSON.stringify(event)}\n\n`;

const eventsOf = (events: readonly object[]): string => events.map(sse).join('');

/** The start of a streamed reply, up to the last piece of its text. */
function startOf(wire: ScriptedWire, reply: ScriptedReply): string {
  const pieces = piecesOf(reply.text).map((piece) => wire.piece(piece, reply, scene));
  return eventsOf([
    ...wire.begin(reply, scene),
    ...wire.thinking(reply, scene),
    ...wire.beforeText(reply, scene),
    ...pieces,
  ]);
}

const endOf = (wire: ScriptedWire, reply: ScriptedReply): string => eventsOf(wire.end(reply, scene));
const markOf = ({ last }: ScriptedWire): string => (last === undefined ? '' : sse(last));
const wholeOf = (wire: ScriptedWire, reply: ScriptedReply): string =>
  startOf(wire, reply) + endOf(wire, reply) + markOf(wire);

const stream = 'text/event-stream; charset=utf-8';

function head(response: ServerResponse, type = stream, more: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'content-type': type, ...more });
}

/** Answers with a status and a body: an error as providers report it, or any other text. */
const status =
  (code: number, body: unknown = { message: echo }, headers: Readonly<Record<string, string>> = {}): Serve =>
  ({ response }) => {
    const json = typeof body !== 'string';
    const text = json ? JSON.stringify({ error: body }) : body;
    response
      .writeHead(code, { 'content-type': json ? 'application/json' : 'text/html', ...headers })
      .end(text);
  };

/** Answers with a status and exactly this JSON. */
const refusal =
  (code: number, json: unknown): Serve =>
  ({ response }) =>
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(json));

/** How servers that check a request field by field refuse one. */
const complaints = [
  {
    type: 'extra_forbidden',
    loc: ['body', 'temperature'],
    msg: 'Extra inputs are not permitted',
    input: 0.2,
  },
];

/** How Gemini reports that a quota is used up: a list of one error. */
const geminiQuota = (per: 'Minute' | 'Day') => [
  {
    error: {
      code: 429,
      message: `You exceeded your current quota, please check your plan and billing details. ${echo}`,
      status: 'RESOURCE_EXHAUSTED',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
          violations: [{ quotaId: `GenerateRequestsPer${per}PerProjectPerModel-FreeTier` }],
        },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.2s' },
      ],
    },
  },
];

/** Answers with status 200 and exactly this body. */
const body =
  (type: string, text: string | Uint8Array): Serve =>
  ({ response }) => {
    head(response, type);
    response.end(text);
  };

/** Streams what `make` gives, and ends the response. */
const streamed =
  (make: (wire: ScriptedWire) => string | Uint8Array): Serve =>
  ({ response, wire }) => {
    head(response);
    response.end(make(wire));
  };

/** Sends half a reply and then, once it is on its way, does something else. */
const afterHalf =
  (then: (exchange: FaultyExchange) => unknown): Serve =>
  (exchange) => {
    head(exchange.response);
    exchange.response.write(startOf(exchange.wire, half), () => then(exchange));
  };

/** Sends half a reply and one more piece of data. */
const halfAnd = (more: (wire: ScriptedWire) => string): Serve =>
  streamed((wire) => startOf(wire, half) + more(wire));

/** Writes the same text for as long as the client reads. */
async function forever(response: ServerResponse, text: string): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  while (!gone.signal.aborted && !response.destroyed) {
    if (!response.write(text)) {
      await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
    }
  }
}

const endless =
  (start: (wire: ScriptedWire) => string, more: (wire: ScriptedWire) => string): Serve =>
  ({ response, wire }) => {
    head(response);
    response.write(start(wire));
    return forever(response, more(wire));
  };

/** Serves the first requests with a fault and every later one with a reply. */
const atFirst =
  (fault: Serve, times = 1): Serve =>
  (exchange) =>
    exchange.before < times ? fault(exchange) : streamed((wire) => wholeOf(wire, half))(exchange);

const error = (code: ErrorCode<'LLM'>, says: RegExp, more: Omit<FaultResult, 'code' | 'says'> = {}) =>
  ({ code, says, ...more }) satisfies FaultResult;
const complete = (text: string, more: { waits?: number[]; requests?: number; inputTokens?: number } = {}) =>
  ({ code: 'reply', text, ...more }) satisfies FaultResult;
const cutOff = (code: ErrorCode<'LLM'>, says: RegExp) => error(code, says, { text: 'one two' });

/** Sixteen megabytes of the same byte as sixteen kilobytes; members of gzip may follow one another. */
const packed = gzipSync(Buffer.alloc(16 * 1024 * 1024, 'x'));
const bomb = Buffer.concat(Array.from({ length: 64 }, () => packed));
const gzip = { 'content-encoding': 'gzip' };

const call = { id: 'call_a', name: 'read_text', arguments: { path: 'a.txt' } };
const deepJson = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;

/** A reply in which a member that is stored and returned later is very deep, in the place of each protocol. */
const deepened = (text: string): string =>
  text
    .replace('"function":', `"extra_content":${deepJson},"function":`)
    .replace('"encrypted_content":', `"extra":${deepJson},"encrypted_content":`)
    .replace('"input":{}', `"input":${deepJson}`);

const plainTcp = (): Server =>
  createTcpServer((socket) =>
    socket
      .resume()
      .on('error', () => undefined)
      .end('SSH-2.0-nobody\r\n'),
  );

const manyParts: ScriptedReply = {
  thinking: ['Hm.'],
  text: 'one two',
  toolCalls: [call, { ...call, id: 'call_b', arguments: { path: 'b' } }],
};
const wholeOfManyParts = {
  code: 'reply',
  text: 'one two',
  calls: ['{"path":"a.txt"}', '{"path":"b"}'],
} satisfies FaultResult;
/** A reply without what tells its calls apart. */
const unnamed = (text: string): string =>
  text.replace(/"(?:output_)?index":\d+,/g, '').replace(/"(?:item_|call_)?id":"(?:call|fc)_[^"]*",/g, '');
const noList = 'no event lists the parts again';

const never = { responses: 'the event that ends the reply is the one that says why it ended' };

/** The faults that every protocol is held to, in the order of a request. */
export const providerFaults: readonly ProviderFault[] = [
  // The address
  {
    does: 'does not run',
    server: null,
    result: error('UNAVAILABLE', /nothing answers at 127\.0\.0\.1/, { requests: 0 }),
  },
  {
    does: 'speaks something other than HTTP',
    server: plainTcp,
    result: error('INVALID_REPLY', /something that is not HTTP/, { requests: 0 }),
  },
  {
    does: 'has a certificate that nobody vouches for',
    scheme: 'https',
    server: () => createTlsServer(selfSigned()),
    result: error('UNAVAILABLE', /certificate cannot be trusted/, { requests: 0 }),
  },
  {
    does: 'redirects to another address',
    serve: status(307, '', { location: '/elsewhere' }),
    result: error('UNAVAILABLE', /redirects requests to another address/),
  },
  {
    does: 'closes the connection before it answers',
    serve: ({ response }) => response.destroy(),
    result: error('UNAVAILABLE', /closed the connection before it answered/, { waits: [1000] }),
  },
  {
    does: 'closes the first connection and answers the second',
    serve: atFirst(({ response }) => response.destroy()),
    result: complete('one two', { waits: [1000] }),
  },
  {
    does: 'sends headers without end',
    serve: ({ incoming }) => {
      const { socket } = incoming;
      socket.on('error', () => undefined);
      socket.write(`HTTP/1.1 200 OK\r\n${`x-pad: ${'x'.repeat(1000)}\r\n`.repeat(200)}`);
    },
    result: error('UNAVAILABLE', /cannot be reached/),
  },
  // The status
  {
    does: 'refuses the key (401) and repeats it',
    serve: status(401),
    result: error('AUTH', /refused the key \(401\)/),
  },
  {
    does: 'refuses the key (403) and repeats it',
    serve: status(403),
    result: error('AUTH', /refused the key \(403\)/),
  },
  { does: 'asks for money (402)', serve: status(402), result: error('QUOTA', /no credit left/) },
  {
    does: 'has no credit left (429 with a code)',
    serve: status(429, { code: 'insufficient_quota', message: echo }),
    result: error('QUOTA', /no credit left/),
  },
  {
    does: 'has no credit left (400 with words)',
    serve: status(400, { message: `Your credit balance is too low. ${echo}` }),
    result: error('QUOTA', /no credit left/),
  },
  {
    does: 'has a used-up daily quota (429 with words)',
    serve: status(429, { message: `Limit on requests per day reached. ${echo}` }),
    result: error('QUOTA', /quota of your account/),
  },
  {
    does: 'has a used-up daily quota (429 in a list of one error)',
    serve: refusal(429, geminiQuota('Day')),
    result: error('QUOTA', /quota of your account.*It says: You exceeded/),
  },
  {
    does: 'has a used-up quota per minute (429 in a list of one error), names the wait and then answers',
    serve: atFirst(refusal(429, geminiQuota('Minute'))),
    result: complete('one two', { waits: [34_200] }),
  },
  {
    does: 'asks for a short wait (429, Retry-After) and then answers',
    serve: atFirst(status(429, undefined, { 'retry-after': '7' })),
    result: complete('one two', { waits: [7000] }),
  },
  {
    does: 'asks for a wait that is no number and then answers',
    serve: atFirst(status(429, undefined, { 'retry-after': '-5 apples' })),
    result: complete('one two', { waits: [1000] }),
  },
  {
    does: 'asks for a wait of an hour',
    serve: status(429, undefined, { 'retry-after': '3600' }),
    result: error('RATE_LIMITED', /accepts no more requests/),
  },
  {
    does: 'is overloaded (529) every time',
    serve: status(529),
    result: error('RATE_LIMITED', /overloaded/, { waits: [1000, 2000, 4000] }),
  },
  {
    does: 'fails (503) every time, with a web page',
    serve: status(503, '<h1>Bad gateway</h1>'),
    result: error('UNAVAILABLE', /server error \(503\)\.$/, { waits: [1000, 2000, 4000] }),
  },
  { does: 'has no such model (404)', serve: status(404), result: error('UNAVAILABLE', /no model "large"/) },
  {
    does: 'refuses the request (400) in words with control and direction characters',
    serve: status(400, { message: '\u001b[31mno\u202e\u0000 such\nthing' }),
    result: error('UNAVAILABLE', /refused the request\. It says: \[31mno such thing$/),
  },
  {
    does: 'refuses the request (400) in a body without end',
    serve: ({ response }) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      return forever(response, '{"error":{"message":"'.padEnd(65_536, 'x'));
    },
    result: error('UNAVAILABLE', /refused the request\.$/),
  },
  {
    does: 'refuses the request (400) in a body that unpacks to a gigabyte',
    serve: ({ response }) => response.writeHead(400, gzip).end(bomb),
    result: error('UNAVAILABLE', /refused the request\.$/),
  },
  {
    does: 'refuses the temperature (400) and answers without it',
    serve: atFirst(status(400, { message: "Unsupported parameter: 'temperature'" })),
    request: { temperature: 0.2 },
    result: complete('one two', { requests: 2 }),
  },
  {
    does: 'refuses the temperature (422) in a list of complaints and answers without it',
    serve: atFirst(refusal(422, { detail: complaints })),
    request: { temperature: 0.2 },
    result: complete('one two', { requests: 2 }),
  },
  {
    does: 'refuses the temperature (422) in a message with a list of complaints and answers without it',
    serve: atFirst(
      refusal(422, { object: 'error', message: { detail: complaints }, type: 'invalid_request_error' }),
    ),
    request: { temperature: 0.2 },
    result: complete('one two', { requests: 2 }),
  },
  {
    does: 'refuses the request (422) in a list of complaints',
    serve: refusal(422, { detail: [{ loc: ['body', 'messages', 0], msg: `Field required. ${echo}` }] }),
    result: error('UNAVAILABLE', /It says: body\.messages\.0: Field required/),
  },
  {
    does: 'refuses stream_options (400) and answers without it',
    serve: atFirst(status(400, { message: 'Unrecognized request argument supplied: stream_options' })),
    result: complete('one two', { requests: 2 }),
    impossible: { responses: 'requests have no such member', anthropic: 'requests have no such member' },
  },
  {
    does: 'finds the request too large (413)',
    serve: status(413),
    result: error('CONTEXT_LIMIT', /longer than large can read/),
  },
  {
    does: 'finds the context too long, by a code',
    serve: status(400, { code: 'context_length_exceeded', message: echo }),
    result: error('CONTEXT_LIMIT', /longer than large can read/),
  },
  {
    does: 'finds the context too long, by its words (500)',
    serve: status(500, { message: 'the request exceeds the available context size' }),
    result: error('CONTEXT_LIMIT', /longer than large can read/),
  },
  // The body
  {
    does: 'sends nothing (204)',
    serve: ({ response }) => response.writeHead(204).end(),
    result: error('INVALID_REPLY', /not a reply/),
  },
  { does: 'sends an empty stream', serve: body(stream, ''), result: error('INVALID_REPLY', /not a reply/) },
  {
    does: 'sends a web page',
    serve: body('text/html', '<h1>Log in</h1>'),
    result: error('INVALID_REPLY', /web page/),
  },
  {
    does: 'sends plain text',
    serve: body('text/plain', 'hello'),
    result: error('INVALID_REPLY', /not a reply/),
  },
  {
    does: 'sends JSON of another kind',
    serve: body('application/json', '[1]'),
    result: error('INVALID_REPLY', /unreadable/),
  },
  {
    does: 'sends JSON that breaks off',
    serve: body('application/json', '{"choices":[{"mess'),
    result: error('INVALID_REPLY', /unreadable/),
  },
  {
    does: 'sends a JSON document without end',
    serve: ({ response }) => {
      head(response, 'application/json');
      return forever(response, '{"text":"'.padEnd(65_536, 'x'));
    },
    limits: { replyBytes: 4_000_000 },
    result: error('INVALID_REPLY', /a reply without end/),
  },
  {
    does: 'sends its error in a document with status 200',
    serve: body('application/json', JSON.stringify({ error: { message: echo, code: 'invalid_api_key' } })),
    result: error('AUTH', /refused the key/),
  },
  {
    does: 'sends bytes that are no text',
    serve: body(stream, Buffer.from('data: \xff\xfe\x00\x80\n\n', 'latin1')),
    result: error('INVALID_REPLY', /unreadable/),
  },
  {
    does: 'says gzip and sends something else',
    serve: ({ response, wire }) => {
      head(response, stream, gzip);
      response.end(wholeOf(wire, half));
    },
    result: error('UNAVAILABLE', /closed the connection before it answered/),
  },
  {
    does: 'sends a line that unpacks to a gigabyte',
    serve: ({ response }) => {
      head(response, stream, gzip);
      response.end(bomb);
    },
    result: error('INVALID_REPLY', /a line without end/),
  },
  // The stream
  {
    does: 'sends something unreadable at once',
    serve: streamed(() => sse('{"choices":[{"delta":')),
    result: error('INVALID_REPLY', /unreadable/),
  },
  {
    does: 'sends an event of the wrong shape',
    serve: streamed(() => sse('{"type":5,"choices":"many"}')),
    result: error('INVALID_REPLY', /unreadable/),
  },
  {
    does: 'sends an event that is nested 100,000 levels deep',
    serve: streamed(() => sse(deepJson)),
    result: error('INVALID_REPLY', /unreadable/),
  },
  {
    does: 'nests a part of a call or of its thinking 100,000 levels deep',
    serve: streamed((wire) =>
      deepened(wholeOf(wire, { toolCalls: [call], ...(wire === scriptedResponses && { thinking: '' }) })),
    ),
    result: error('INVALID_REPLY', /unreadable/),
  },
  {
    does: 'speaks another of the protocols',
    serve: ({ response, wire }) => {
      head(response);
      response.end(wholeOf(wire === scriptedChat ? scriptedAnthropic : scriptedChat, half));
    },
    result: error('INVALID_REPLY', /unreadable|a stream without a reply/),
  },
  {
    does: 'sends an error in place of a reply',
    serve: streamed((wire) => eventsOf([wire.error({ message: echo, code: 'invalid_api_key' })])),
    result: error('AUTH', /refused the key/),
  },
  {
    does: 'sends something unreadable in the middle',
    serve: halfAnd(() => sse('{"choices":[{"delta":')),
    result: cutOff('INVALID_REPLY', /unreadable/),
  },
  {
    does: 'sends an error in the middle',
    serve: halfAnd((wire) => eventsOf([wire.error({ message: `boom ${echo}` })])),
    result: cutOff('UNAVAILABLE', /boom/),
  },
  {
    does: 'sends a rate limit in the middle',
    serve: halfAnd((wire) => eventsOf([wire.error({ code: 429 })])),
    result: cutOff('RATE_LIMITED', /accepts no more requests/),
  },
  {
    does: 'sends a line without end',
    serve: endless(
      (wire) => `${startOf(wire, half)}data: {"choices":[{"delta":{"content":"`,
      () => 'x'.repeat(65_536),
    ),
    result: cutOff('INVALID_REPLY', /a line without end/),
  },
  {
    does: 'sends comments without end',
    serve: endless(
      (wire) => startOf(wire, half),
      () => ': still here\n'.repeat(5000),
    ),
    limits: { replyBytes: 4_000_000 },
    result: cutOff('INVALID_REPLY', /a reply without end/),
  },
  {
    does: 'sends empty pieces without end',
    serve: endless(
      (wire) => startOf(wire, half),
      (wire) => sse(wire.piece('', half, scene)).repeat(500),
    ),
    limits: { replyBytes: 4_000_000 },
    result: cutOff('INVALID_REPLY', /a reply without end/),
  },
  {
    does: 'thinks for eight million characters',
    serve: streamed((wire) =>
      wholeOf(wire, { thinking: Array.from({ length: 800 }, () => 'x'.repeat(10_000)), text: 'done' }),
    ),
    result: error('INVALID_REPLY', /a reply without end/),
  },
  {
    does: 'calls a tool with eight million characters',
    serve: streamed((wire) =>
      wholeOf(wire, { text: 'one two', toolCalls: [{ ...call, arguments: 'x'.repeat(8_000_000) }] }),
    ),
    result: cutOff('INVALID_REPLY', /a reply without end/),
  },
  {
    does: 'calls 200 tools in one reply',
    serve: streamed((wire) =>
      wholeOf(wire, {
        text: 'one two',
        toolCalls: Array.from({ length: 200 }, (_, at) => ({ ...call, id: `call_${at}` })),
      }),
    ),
    result: cutOff('INVALID_REPLY', /tool calls without end/),
  },
  {
    does: 'calls a tool without a name',
    serve: streamed((wire) => wholeOf(wire, { text: 'one two', toolCalls: [{ ...call, name: '' }] })),
    result: cutOff('INVALID_REPLY', /a tool call without a name/),
  },
  {
    does: 'calls a tool with arguments that are not JSON',
    serve: streamed((wire) => wholeOf(wire, { toolCalls: [{ ...call, arguments: '{"path": a.txt' }] })),
    result: { code: 'reply', text: '', calls: ['{"path": a.txt'] },
  },
  {
    does: 'gives two calls of a reply the same id',
    serve: streamed((wire) => wholeOf(wire, { toolCalls: [call, { ...call, arguments: { path: 'b' } }] })),
    result: { code: 'reply', text: '', calls: ['{"path":"a.txt"}', '{"path":"b"}'] },
  },
  {
    does: 'sends the arguments of a call in one piece, and none of another',
    serve: streamed((wire) =>
      wholeOf(wire, {
        toolCalls: [
          { ...call, arguments: '' },
          { ...call, id: 'call_b', arguments: '{}' },
        ],
      }),
    ),
    result: { code: 'reply', text: '', calls: ['{}', '{}'] },
  },
  {
    does: 'gives all parts of a reply the same index',
    serve: streamed((wire) => wholeOf(wire, manyParts).replace(/("(?:output_)?index":)\d+/g, '$10')),
    result: wholeOfManyParts,
  },
  {
    does: 'leaves out the indexes of the parts',
    serve: streamed((wire) => wholeOf(wire, manyParts).replace(/"(?:output_)?index":\d+,/g, '')),
    result: wholeOfManyParts,
  },
  {
    does: 'gives its calls neither an id nor an index',
    serve: streamed((wire) => unnamed(wholeOf(wire, manyParts))),
    result: wholeOfManyParts,
  },
  {
    does: 'answers with one document, and gives its calls no id',
    serve: ({ response, wire }) => {
      head(response, 'application/json');
      response.end(unnamed(JSON.stringify(wire.document(manyParts, scene))));
    },
    result: wholeOfManyParts,
  },
  {
    does: 'lists the parts of a reply under other ids at the end',
    serve: streamed((wire) =>
      wholeOf(wire, manyParts).replace(/"type":"response.completed".*/, (end) =>
        end.replaceAll('"id":"', '"id":"other_'),
      ),
    ),
    result: wholeOfManyParts,
    impossible: { chat: noList, anthropic: noList },
  },
  // The end of a reply
  {
    does: 'closes the connection in the middle',
    serve: afterHalf(({ response }) => response.destroy()),
    result: cutOff('UNAVAILABLE', /broke off/),
  },
  {
    does: 'ends the response in the middle',
    serve: afterHalf(({ response }) => response.end()),
    result: cutOff('UNAVAILABLE', /broke off/),
  },
  {
    does: 'ends the response within an event',
    serve: halfAnd((wire) => sse(wire.piece(' three', half, scene)).slice(0, -20)),
    result: cutOff('UNAVAILABLE', /broke off/),
  },
  {
    does: 'sends fewer bytes than it announced',
    serve: ({ response, wire }) => {
      const text = startOf(wire, half);
      head(response, stream, { 'content-length': `${text.length + 10}` });
      response.write(text, () => response.destroy());
    },
    result: cutOff('UNAVAILABLE', /broke off/),
  },
  {
    does: 'breaks the framing of HTTP in the middle',
    serve: afterHalf(({ response }) => response.socket?.end('no chunk\r\n')),
    result: cutOff('UNAVAILABLE', /broke off/),
  },
  {
    does: 'ends the reply before it began',
    serve: streamed((wire) => wholeOf(wire, {})),
    result: error('INVALID_REPLY', /an empty reply/),
  },
  {
    does: 'ends the reply after the thinking',
    serve: streamed((wire) => wholeOf(wire, { thinking: ['Hm.'] })),
    result: error('INVALID_REPLY', /thought and gave no answer/),
  },
  {
    does: 'stops the model at its output limit',
    serve: streamed((wire) => wholeOf(wire, { text: 'one two', finishReason: 'length' })),
    result: cutOff('CONTEXT_LIMIT', /reached its output limit/),
  },
  {
    does: 'stops the reply by its content filter',
    serve: streamed((wire) => wholeOf(wire, { text: 'one two', finishReason: 'content_filter' })),
    result: cutOff('INVALID_REPLY', /content filter/),
  },
  {
    does: 'says why the reply ended and then closes the connection',
    serve: ({ response, wire }) => {
      head(response);
      const end = wire
        .end(half, scene)
        .filter((event) => !('type' in event && event.type === 'message_stop'));
      response.write(startOf(wire, half) + eventsOf(end), () => response.destroy());
    },
    result: complete('one two'),
    impossible: never,
  },
  {
    does: 'says why the reply ended and then leaves the connection open',
    serve: ({ response, wire }) => {
      head(response);
      const end = wire
        .end(half, scene)
        .filter((event) => !('type' in event && event.type === 'message_stop'));
      response.write(startOf(wire, half) + eventsOf(end));
    },
    expires: 'idleMs',
    result: complete('one two'),
    impossible: never,
  },
  {
    does: 'sends more text after the end of the reply',
    serve: streamed((wire) => wholeOf(wire, half) + sse(wire.piece(' three', half, scene))),
    result: complete('one two'),
  },
  // Oddities that must cost nothing
  {
    does: 'sends one byte at a time, with a character cut in two',
    serve: async ({ response, wire }) => {
      head(response);
      for (const byte of Buffer.from(wholeOf(wire, { text: 'é 🙂' }))) {
        await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
      }
      response.end();
    },
    result: complete('é 🙂'),
  },
  {
    does: 'cuts a character between two events',
    serve: streamed((wire) => wholeOf(wire, { text: ['a\ud83d', '\ude42'] })),
    result: complete('a🙂'),
  },
  {
    does: 'begins with a byte order mark and ends its lines with a carriage return',
    serve: streamed((wire) => `\ufeff${wholeOf(wire, half).replaceAll('\n', '\r')}`),
    result: complete('one two'),
  },
  {
    does: 'puts comments and events of unknown types between its own',
    serve: streamed((wire) => {
      const odd = `: note\nretry: 1\nid: 7\n\n${sse({ type: 'scripted.unknown', note: { new: true } })}`;
      return `${odd}${startOf(wire, half)}${odd}${endOf(wire, half)}${markOf(wire)}`;
    }),
    result: complete('one two'),
  },
  {
    does: 'counts its tokens in words',
    serve: streamed((wire) => wholeOf(wire, half).replace(/(_tokens":)\d+/g, '$1"five"')),
    result: complete('one two', { inputTokens: 0 }),
  },
  {
    does: 'counts its tokens a second time, as none',
    serve: streamed((wire) => {
      const again = { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } };
      const end = endOf(wire, half).replace('"usage":{"output', '"usage":{"input_tokens":0,"output');
      return startOf(wire, half) + end + (wire === scriptedChat ? sse(again) : '') + markOf(wire);
    }),
    result: complete('one two', { inputTokens: 10 }),
    impossible: { responses: 'the event that ends the reply is the one that counts' },
  },
  {
    does: 'refuses in a field of its own',
    serve: streamed((wire) =>
      wholeOf(wire, half)
        .replaceAll('"content":"', '"refusal":"')
        .replaceAll('response.output_text.delta', 'response.refusal.delta')
        .replaceAll('"type":"output_text","text"', '"type":"refusal","refusal"'),
    ),
    result: complete('one two'),
    impossible: { anthropic: 'a refusal is a reason why the reply ended' },
  },
  {
    does: 'packs the reply (gzip)',
    serve: ({ response, wire }) => {
      head(response, stream, gzip);
      response.end(gzipSync(wholeOf(wire, half)));
    },
    result: complete('one two'),
  },
  {
    does: 'ends its lines with two characters, one byte at a time, without a space after the colon',
    serve: async ({ response, wire }) => {
      head(response);
      const text = wholeOf(wire, { text: 'é 🙂' }).replaceAll('\n', '\r\n').replaceAll('data: ', 'data:');
      for (const byte of Buffer.from(text)) {
        await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
      }
      response.end();
    },
    result: complete('é 🙂'),
  },
  {
    does: 'answers with one document where a stream was asked for',
    serve: ({ response, wire }) => {
      head(response, 'application/json');
      response.end(JSON.stringify(wire.document(half, scene)));
    },
    result: complete('one two'),
  },
  // Time
  {
    does: 'accepts the request and never answers',
    serve: () => undefined,
    expires: 'headersMs',
    result: error('UNAVAILABLE', /did not answer within 3 minutes/),
  },
  {
    does: 'stops in the middle and leaves the connection open',
    serve: afterHalf(() => undefined),
    expires: 'idleMs',
    result: cutOff('UNAVAILABLE', /stopped in the middle of the reply/),
  },
];

const scriptedWires: Readonly<Record<WireName, ScriptedWire>> = {
  chat: scriptedChat,
  responses: scriptedResponses,
  anthropic: scriptedAnthropic,
};

/** A misbehaving server on loopback. */
export interface FaultyProvider {
  readonly baseUrl: string;
  /** How many requests arrived. */
  readonly requests: () => number;
  /** Resolves when the first request has arrived. */
  readonly asked: Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts the server of a fault, which answers in the given protocol as far as it answers. */
export async function startFaultyProvider(fault: ProviderFault, name: WireName): Promise<FaultyProvider> {
  const { serve, scheme = 'http' } = fault;
  let requests = 0;
  let arrive = (): void => undefined;
  const asked = new Promise<void>((resolve) => (arrive = resolve));
  const http = (): Server =>
    createHttpServer((incoming, response) => {
      const before = requests++;
      const wire = scriptedWires[name];
      incoming.resume().on('end', () => {
        arrive();
        serve?.({ incoming, response, wire, before });
      });
    });
  const server = (fault.server ?? http)();
  const sockets = new Set<{ destroy(): unknown }>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  if (fault.server === null) await close();
  return {
    baseUrl: `${scheme}://127.0.0.1:${port}/v1`,
    requests: () => requests,
    asked,
    close: fault.server === null ? () => Promise.resolve() : close,
  };
}
