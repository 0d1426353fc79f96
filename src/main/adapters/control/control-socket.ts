import { randomBytes } from 'node:crypto';
import {
  controlProtocol,
  ControlReply,
  type ControlEntry,
  type ControlRequest,
} from '#shared/control-message';
import { assertNever, err, ok, type Result } from '#shared/result';
import type { ControlAnswer, ControlSocket } from '../../../core/ports/control-socket';
import { createControlEntries, type ControlEntries, type FoundEntry } from './control-entries';
import { cannotListen, serveSocket, type AnswerCall } from './serve-socket';
import { socketPlaces } from './socket-places';
import { createConnection, type Socket } from 'node:net';
import { appError, type AppError } from '#shared/app-error';
import { parseJson } from '#shared/json';
import type { WorkspaceCall } from '#shared/workspace-call';
import { readLine } from './read-line';

const replyBytes = 16_777_216;

/** `gone`: no process listens on the socket. */
type SocketAnswer = ControlReply | { readonly type: 'gone' };

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
async function askApp(entry: ControlEntry, call: WorkspaceCall, silenceMs: number): Promise<SocketAnswer> {
  const socket = await connect(entry.address);
  if (!socket) return { type: 'gone' };
  const request: ControlRequest = { protocol: controlProtocol, key: entry.key, call };
  socket.write(`${JSON.stringify(request)}\n`);
  const { line } = await readLine(socket, { maxBytes: replyBytes, silenceMs });
  socket.destroy();
  const reply = line === null ? null : replyIn(line);
  return reply ?? { type: 'refused', error: noAnswer(entry) };
}

export interface ControlSocketDeps {
  /** `PATINA_HOME`. */
  readonly home: string;
  /** Display name of the process that listens here. */
  readonly holder: string;
  readonly processAlive: (pid: number) => boolean;
  /** How long a running app may stay silent; reading a large workspace takes time. */
  readonly silenceMs?: number;
}

const defaultSilenceMs = 60_000;

function answerOf({ entry: { holder, pid } }: FoundEntry, answer: SocketAnswer): ControlAnswer | null {
  const by = { holder, pid };
  switch (answer.type) {
    case 'answered':
      return { by, result: ok(answer.view) };
    case 'refused':
      return { by, result: err(answer.error) };
    case 'not-mine':
    case 'gone':
      return null;
    default:
      return assertNever(answer);
  }
}

async function serve(
  entries: ControlEntries,
  holder: string,
  answer: AnswerCall,
): Promise<Result<() => Promise<void>>> {
  const key = randomBytes(32).toString('hex');
  try {
    const served = await serveSocket(socketPlaces(entries.folder()), key, answer);
    if (!served.ok) return served;
    const { address, close } = served.value;
    const own = entries.add({ protocol: controlProtocol, pid: process.pid, holder, address, key });
    return ok(async () => {
      entries.remove(own);
      await close();
    });
  } catch (error) {
    return err(cannotListen(error instanceof Error ? error.message : String(error)));
  }
}

/**
 * Opens the socket (on Windows: the named pipe) of this process and finds those of other processes on the
 * same home folder. Each running app has its own socket, listed in an entry file that only its owner can
 * read. Any process that finds the socket of a dead app removes it.
 */
export function createControlSocket(deps: ControlSocketDeps): ControlSocket {
  const { home, holder, processAlive, silenceMs = defaultSilenceMs } = deps;
  const entries = createControlEntries(home);
  const living = (): readonly FoundEntry[] =>
    entries.all().filter((found) => {
      if (processAlive(found.entry.pid)) return true;
      entries.remove(found);
      return false;
    });
  return {
    serve(answer) {
      living();
      return serve(entries, holder, answer);
    },
    async ask(call) {
      for (const found of living()) {
        const reply = await askApp(found.entry, call, silenceMs);
        if (reply.type === 'gone') entries.remove(found);
        const answer = answerOf(found, reply);
        if (answer) return answer;
      }
      return null;
    },
  };
}
