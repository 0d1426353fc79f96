import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  isRecord,
  lastUserText,
  type ScriptedFault,
  type ScriptedReply,
  type ScriptedRequest,
} from './scripted-reply';
import { writeStream } from './scripted-stream';
import { scriptedWireOf, type ScriptedWire } from './scripted-wires';

export interface Script {
  readonly replies: readonly ScriptedReply[];
  /** The result of `/v1/models`; a number is the status of a failure, `hang` means no response. */
  readonly models?: readonly string[] | number | 'hang';
  /** Each model's context size in tokens, as some servers report it. */
  readonly contextTokens?: number;
  /** Answers before all else, also other addresses; undefined leaves a request to the rest of the script. */
  readonly page?: (request: ScriptedRequest) => ScriptedPage | undefined;
  /** When set, requests without this key get 401. */
  readonly key?: string;
  readonly port?: number;
}

/** The answer of an address that is not part of a protocol. */
export type ScriptedPage = Extract<ScriptedFault, { readonly type: 'status' | 'body' | 'hang' }>;

/** A running scripted model; `requests` lists every exchange in order of arrival. */
export interface ScriptedModel {
  /** `http://127.0.0.1:<port>/v1` */
  readonly baseUrl: string;
  readonly port: number;
  readonly requests: readonly ScriptedRequest[];
  /** Chat requests only. */
  readonly chats: () => readonly ScriptedRequest[];
  /** The chat request number `index` (from 0), as soon as it arrives. */
  readonly chat: (index: number) => Promise<ScriptedRequest>;
  /** Releases `count` gated pieces, now or as soon as they are ready; without `count`, all from now on. */
  readonly release: (count?: number) => void;
  /** How many gated pieces of text are written so far. */
  readonly written: () => number;
  /** Appends replies to the script. */
  readonly add: (...replies: readonly ScriptedReply[]) => void;
  readonly close: () => Promise<void>;
}

interface Entry {
  readonly reply: ScriptedReply;
  left: number;
}

/**
 * Starts a model that replies from a script: a real HTTP server on loopback with `/v1/chat/completions`,
 * `/v1/responses` and `/v1/messages` (server-sent events or one JSON document each) and `/v1/models`. A request
 * without a scripted reply gets a 400 with the reason.
 */
export async function startScriptedModel(script: Script): Promise<ScriptedModel> {
  const entries: Entry[] = [];
  const requests: ScriptedRequest[] = [];
  const waiting = createWaiting();
  const gate = createGate();
  const add = (...replies: readonly ScriptedReply[]): void => {
    for (const reply of replies) entries.push({ reply, left: reply.times ?? (reply.match ? Infinity : 1) });
  };
  add(...script.replies);
  const server = createServer((incoming, response) => {
    receive(incoming, response)
      .then((received) => {
        const request = { index: requests.length, ...received };
        requests.push(request);
        waiting.check(chatsOf(requests));
        return answer({ script, request, response, take: () => take(entries, request), gate });
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(script.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    chats: () => chatsOf(requests),
    chat: (index) => waiting.until(index, chatsOf(requests)),
    release: gate.release,
    written: gate.written,
    add,
    close: () => close(server),
  };
}

const chatsOf = (requests: readonly ScriptedRequest[]) =>
  requests.filter(({ path }) => scriptedWireOf(path) !== null);

function take(entries: readonly Entry[], request: ScriptedRequest): ScriptedReply | undefined {
  const entry = entries.find((candidate) => candidate.left > 0 && matches(candidate.reply, request));
  if (entry === undefined) return undefined;
  entry.left -= 1;
  return entry.reply;
}

function matches({ match }: ScriptedReply, request: ScriptedRequest): boolean {
  if (match === undefined) return true;
  if (typeof match === 'function') return match(request);
  const text = lastUserText(request);
  return typeof match === 'string' ? text === match : new RegExp(match.source, match.flags).test(text);
}

async function receive(
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<Omit<ScriptedRequest, 'index'>> {
  const over = new Promise<'answered' | 'aborted'>((resolve) => {
    response.once('close', () => resolve(response.writableFinished ? 'answered' : 'aborted'));
  });
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const text = body.toString('utf8');
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  const path = new URL(incoming.url ?? '/', 'http://localhost').pathname;
  return { method: incoming.method ?? '', path, headers, body, text, json: parsed(text), over };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface Exchange {
  readonly script: Script;
  readonly request: ScriptedRequest;
  readonly response: ServerResponse;
  readonly take: () => ScriptedReply | undefined;
  readonly gate: ReturnType<typeof createGate>;
}

async function answer(exchange: Exchange): Promise<void> {
  const { script, request, response } = exchange;
  if (script.key !== undefined && keyOf(request) !== script.key) {
    return fail(response, 401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' });
  }
  const page = script.page?.(request);
  if (page !== undefined) return answerPage(page, response);
  if (request.path.endsWith('/models')) return answerModels(script, response);
  const wire = scriptedWireOf(request.path);
  if (wire === null) {
    return fail(response, 404, { message: `No such path: ${request.path}` });
  }
  const reply = exchange.take();
  if (reply === undefined) {
    return fail(response, 400, { message: 'The script has no reply for this request.' });
  }
  await answerChat(reply, exchange, wire);
}

const keyOf = ({ headers }: ScriptedRequest): string | undefined =>
  headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers['authorization']?.replace(/^Bearer /, '');

function answerPage(page: ScriptedPage, response: ServerResponse): void {
  if (page.type === 'status') fail(response, page.status, { message: page.message }, page.headers);
  if (page.type === 'body') write(response, 200, page.contentType, page.body);
}

async function answerChat(reply: ScriptedReply, exchange: Exchange, wire: ScriptedWire): Promise<void> {
  const { request, response } = exchange;
  const { fault } = reply;
  if (fault?.type === 'status') {
    return fail(response, fault.status, { message: fault.message, code: fault.code }, fault.headers);
  }
  if (fault?.type === 'body') return write(response, 200, fault.contentType, fault.body);
  const named = request.json?.['model'];
  const model = typeof named === 'string' ? named : 'scripted';
  if (request.json?.['stream'] === true && reply.plain !== true) return stream(reply, exchange, wire, model);
  return write(
    response,
    200,
    'application/json',
    JSON.stringify(wire.document(reply, { model, includeUsage: true })),
  );
}

async function stream(
  reply: ScriptedReply,
  exchange: Exchange,
  wire: ScriptedWire,
  model: string,
): Promise<void> {
  const { request, response } = exchange;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const options = request.json?.['stream_options'];
  const includeUsage = isRecord(options) && options['include_usage'] === true;
  const { pass, wrote } = exchange.gate;
  const gate = () => pass(gone.signal);
  await writeStream(reply, { response, wire, model, includeUsage, gate, wrote, gone: gone.signal });
}

function answerModels({ models = ['scripted'], contextTokens }: Script, response: ServerResponse): void {
  if (models === 'hang') return;
  if (typeof models === 'number') return fail(response, models, { message: 'No list today.' });
  const size = contextTokens === undefined ? {} : { context_length: contextTokens };
  const data = models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'scripted', ...size }));
  write(response, 200, 'application/json', JSON.stringify({ object: 'list', data }));
}

interface WireError {
  readonly message: string | undefined;
  readonly code?: string | undefined;
}

function fail(response: ServerResponse, status: number, error: WireError, headers = {}): void {
  const body = { error: { message: error.message ?? `Status ${status}.`, type: 'error', code: error.code } };
  write(response, status, 'application/json', JSON.stringify(body), headers);
}

function write(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string,
  headers?: object,
): void {
  response.writeHead(status, { 'content-type': contentType, ...headers });
  response.end(body);
}

/** Passes one gated piece per `release`, in the order of their requests. */
function createGate() {
  let free = 0;
  let written = 0;
  const queue: (() => void)[] = [];
  const pass = (gone: AbortSignal): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      queue.push(resolve);
      gone.addEventListener('abort', () => {
        const at = queue.indexOf(resolve);
        if (at >= 0) queue.splice(at, 1);
        resolve();
      });
    });
  };
  const release = (count = Infinity): void => {
    free += count;
    while (free > 0 && queue.length > 0) {
      free -= 1;
      queue.shift()?.();
    }
  };
  return { pass, release, wrote: () => void (written += 1), written: () => written };
}

function createWaiting() {
  const waits: { index: number; resolve: (request: ScriptedRequest) => void }[] = [];
  const check = (chats: readonly ScriptedRequest[]): void => {
    for (const wait of waits.splice(0)) {
      const request = chats[wait.index];
      if (request === undefined) waits.push(wait);
      else wait.resolve(request);
    }
  };
  const until = (index: number, chats: readonly ScriptedRequest[]): Promise<ScriptedRequest> =>
    new Promise((resolve) => {
      waits.push({ index, resolve });
      check(chats);
    });
  return { check, until };
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
