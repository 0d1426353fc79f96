import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync } from 'node:fs';
import {
  createServer as createHttpServer,
  request,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { appError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { err } from '#shared/result';
import { createChildLinePort } from '../../main/adapters/mcp/child-line-port';
import { createTools, type ToolsDeps } from '../../main/adapters/mcp/create-tools';
import { parseRegistry } from '../../main/adapters/mcp/registry';

const STATELESS = fileURLToPath(new URL('stateless-server.mjs', import.meta.url));
const EVERYTHING = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);

export type Era = 'stateful' | 'stateless';
export type Wire = 'stdio' | 'http';

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

async function firstLine(child: ChildProcess, matching: RegExp): Promise<string> {
  const stream = child.stdio[2] && matching.source.includes('listening') ? child.stdio[2] : child.stdio[1];
  if (!stream) throw new Error('The server has no output.');
  for await (const line of createInterface({ input: stream as NodeJS.ReadableStream })) {
    if (matching.test(line)) return line;
  }
  throw new Error('The server ended before it was up.');
}

/**
 * Starts a real server of one protocol generation over one transport; returns its registry entry and a
 * function that stops it.
 */
export async function openPeer(era: Era, wire: Wire): Promise<{ entry: JsonObject; close: () => void }> {
  const script = era === 'stateless' ? STATELESS : EVERYTHING;
  if (wire === 'stdio') {
    const args = era === 'stateless' ? [script] : [script, 'stdio'];
    return { entry: { command: process.execPath, args }, close: () => undefined };
  }
  const port = await freePort();
  const child = spawn(process.execPath, [script, era === 'stateless' ? 'http' : 'streamableHttp'], {
    env: { ...process.env, PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const line = await firstLine(child, era === 'stateless' ? /^http/ : /listening/);
  const url = era === 'stateless' ? line : `http://127.0.0.1:${port}/mcp`;
  return { entry: { url }, close: () => void child.kill('SIGKILL') };
}

/** An HTTP server controlled by the test. */
export async function openListener(answer: RequestListener) {
  const server = createHttpServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { server, url: `http://127.0.0.1:${port}/mcp`, close };
}

/** Answers a tool call instead of the server; `pass` forwards it to the server. */
export type OnToolCall = (
  asked: IncomingMessage,
  response: ServerResponse,
  body: string,
  pass: () => void,
) => void;

/** A real HTTP server behind a proxy that lets the test answer tool calls. */
export async function openPeerBehind(onCall: OnToolCall) {
  const peer = await openPeer('stateless', 'http');
  const target = new URL(peer.entry['url'] as string);
  const listener = await openListener((asked, response) => {
    const parts: Buffer[] = [];
    asked.on('data', (part: Buffer) => parts.push(part));
    asked.on('end', () => {
      const body = Buffer.concat(parts);
      const pass = (): void => {
        const headers = { ...asked.headers, host: target.host };
        const passed = request(target, { method: asked.method, headers }, (answer) => {
          // Close each connection, so that the next request has to open a new one.
          response.writeHead(answer.statusCode ?? 500, { ...answer.headers, connection: 'close' });
          answer.pipe(response);
        });
        passed.end(body);
      };
      if (body.includes('"tools/call"')) onCall(asked, response, body.toString(), pass);
      else pass();
    });
  });
  const close = (): void => {
    listener.close();
    peer.close();
  };
  return { ...listener, close };
}

/** The tools of servers from their registry entries, built as in the app. */
export function toolsOf(mcpServers: JsonObject, more: Partial<ToolsDeps> = {}) {
  return createTools({
    registry: () => parseRegistry(JSON.stringify({ mcpServers }), 'registry.json'),
    project: realpathSync(mkdtempSync(path.join(tmpdir(), 'patina-peers-'))),
    startBundledServer: () => {
      throw new Error('There is none here.');
    },
    startChild: createChildLinePort,
    env: {},
    secret: (ref) => err(appError('CONFIG', 'MISSING', `No ${ref}.`)),
    ...more,
  });
}
