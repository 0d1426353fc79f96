import { timingSafeEqual } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { appError, type AppError } from '#shared/app-error';
import { ControlRequest, type ControlReply } from '#shared/control-message';
import { parseJson } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { WorkspaceCall } from '#shared/workspace-call';
import { readLine } from './read-line';

export type AnswerCall = (call: WorkspaceCall) => Promise<ControlReply>;

const requestBytes = 65_536;
const requestMs = 5_000;
/** Further connections are refused. */
const maxOpenConnections = 16;

const notUnderstood: AppError = appError('HOST', 'INVALID_INPUT', 'The request was not understood.', {
  hint: 'Use the patina command that came with this Patina.',
});

function sameKey(sent: string, key: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(key)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Parses a request; null when it is malformed or does not carry the key. */
function requestIn(line: string, key: string): ControlRequest | null {
  const json = parseJson(line);
  const request = json.ok ? ControlRequest.safeParse(json.value) : null;
  return request?.success && sameKey(request.data.key, key) ? request.data : null;
}

async function replyTo(line: string, key: string, answer: AnswerCall): Promise<ControlReply> {
  const request = requestIn(line, key);
  return request ? answer(request.call) : { type: 'refused', error: notUnderstood };
}

async function serveOne(socket: Socket, key: string, answer: AnswerCall): Promise<void> {
  const { line } = await readLine(socket, { maxBytes: requestBytes, silenceMs: requestMs });
  if (line === null) {
    socket.destroy();
    return;
  }
  // Answering may take longer than the request timeout allows.
  socket.setTimeout(0);
  const reply = await replyTo(line, key, answer);
  socket.end(`${JSON.stringify(reply)}\n`);
}

function listen(server: Server, address: string): Promise<Result<null, string>> {
  return new Promise((resolve) => {
    // Keep this listener: a failure to accept a later connection must not end the app.
    server.on('error', ({ message }) => resolve(err(message)));
    server.listen(address, () => resolve(ok(null)));
  });
}

/** Listens at one address, accessible only to the owner. */
async function listenAt(server: Server, place: () => string): Promise<Result<string, string>> {
  try {
    const address = place();
    const listening = await listen(server, address);
    if (!listening.ok) return listening;
    if (process.platform !== 'win32') chmodSync(address, 0o600);
    return ok(address);
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
}

/** Returns the first address that accepts a listener. */
async function firstPlace(
  server: Server,
  places: readonly (() => string)[],
): Promise<Result<string, string>> {
  let last: Result<string, string> = err('no path is short enough');
  for (const place of places) {
    last = await listenAt(server, place);
    if (last.ok) return last;
  }
  return last;
}

export const cannotListen = (why: string): AppError =>
  appError('HOST', 'STORAGE', `Other programs cannot reach this Patina: ${why}.`, {
    hint: 'Sync and apply in the window, or check the permissions of the folder "run" in Patina\'s home folder.',
  });

export interface ServedSocket {
  readonly address: string;
  readonly close: () => Promise<void>;
}

/**
 * Answers one request per connection, from any client that knows the key. Returns HOST/STORAGE when no
 * address accepts a listener.
 */
export async function serveSocket(
  places: readonly (() => string)[],
  key: string,
  answer: AnswerCall,
): Promise<Result<ServedSocket>> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    void serveOne(socket, key, answer);
  });
  server.maxConnections = maxOpenConnections;
  const place = await firstPlace(server, places);
  if (!place.ok) return err(cannotListen(place.error));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
    });
  return ok({ address: place.value, close });
}
