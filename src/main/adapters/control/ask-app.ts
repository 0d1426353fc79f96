import { createConnection, type Socket } from 'node:net';
import { appError, type AppError } from '#shared/app-error';
import {
  ControlReply,
  controlProtocol,
  type ControlEntry,
  type ControlRequest,
} from '#shared/control-message';
import { parseJson } from '#shared/json';
import type { WorkspaceCall } from '#shared/workspace-call';
import { readLine } from './read-line';

const replyBytes = 16_777_216;

/** `gone`: no process listens on the socket. */
export type SocketAnswer = ControlReply | { readonly type: 'gone' };

function noAnswer({ holder, pid }: ControlEntry): AppError {
  return appError('HOST', 'STATE', `Patina runs (${holder}, process ${pid}), but did not answer.`, {
    hint: 'Check whether its window is busy, then try again. Or quit it: the command then works on the stored state.',
    retryable: true,
  });
}

function connect(address: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createConnection(address, () => resolve(socket));
    socket.on('error', () => resolve(null));
  });
}

function replyIn(line: string): ControlReply | null {
  const json = parseJson(line);
  const reply = json.ok ? ControlReply.safeParse(json.value) : null;
  return reply?.success ? reply.data : null;
}

/**
 * Sends one request to one app. Returns HOST/STATE when the app runs but sends no readable answer, or none
 * within `silenceMs`.
 */
export async function askApp(
  entry: ControlEntry,
  call: WorkspaceCall,
  silenceMs: number,
): Promise<SocketAnswer> {
  const socket = await connect(entry.address);
  if (!socket) return { type: 'gone' };
  const request: ControlRequest = { protocol: controlProtocol, key: entry.key, call };
  socket.write(`${JSON.stringify(request)}\n`);
  const { line } = await readLine(socket, { maxBytes: replyBytes, silenceMs });
  socket.destroy();
  const reply = line === null ? null : replyIn(line);
  return reply ?? { type: 'refused', error: noAnswer(entry) };
}
