import { once } from 'node:events';
import {
  createServer,
  request,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openHostileServer } from '../../../testing/open-hostile-server';
import { openPeer, toolsOf } from '../../../testing/mcp-peers/open-peers';

const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

const short = { startMs: 5_000, callMs: 300, pingMs: 300 };
const never = new AbortController().signal;

async function listening(answer: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return { server, url: `http://127.0.0.1:${port}/mcp` };
}

/** A real server over HTTP behind an address at which calls of tools come to what the test says. */
async function behind(
  onCall: (asked: IncomingMessage, response: ServerResponse, body: string) => void,
  timeouts = short,
) {
  const peer = await openPeer('stateless', 'http');
  const target = new URL(peer.entry['url'] as string);
  const { server, url } = await listening((asked, response) => {
    const parts: Buffer[] = [];
    asked.on('data', (part: Buffer) => parts.push(part));
    asked.on('end', () => {
      const body = Buffer.concat(parts);
      if (body.includes('"tools/call"')) return onCall(asked, response, body.toString());
      const headers = { ...asked.headers, host: target.host };
      const passed = request(target, { method: asked.method, headers }, (answer) => {
        // No connection is kept: the next request has to make its own.
        response.writeHead(answer.statusCode ?? 500, { ...answer.headers, connection: 'close' });
        answer.pipe(response);
      });
      passed.end(body);
    });
  });
  const tools = toolsOf({ peer: { url } }, { timeouts });
  closing.push(() => tools.release(), peer.close);
  return { server, call: () => tools.call('mcp://peer.add', { a: 1, b: 2 }, never), tools };
}

describe('a call that may have been carried out', () => {
  it.each(['hang-call', 'deaf-call', 'crash-call'])(
    '[MCP-unseen] %s: its outcome is unknown',
    async (fault) => {
      const { call, tools } = openHostileServer(fault, {}, short);
      closing.push(() => tools.release());
      expect(await call()).toMatchObject({ ok: false, error: { kind: 'TOOL', outcome: 'unknown' } });
    },
  );

  it('[MCP-unseen] is one that is cancelled on its way', async () => {
    const { call, tools, ports } = openHostileServer('hang-call');
    closing.push(() => tools.release());
    await tools.list();
    const stop = new AbortController();
    const pending = call({}, stop.signal);
    await expect.poll(() => ports.length).toBe(1);
    setImmediate(() => stop.abort());
    expect(await pending).toMatchObject({ ok: false, error: { code: 'CANCELLED', outcome: 'unknown' } });
  });

  it('[MCP-unseen] is not one that was cancelled before it was made', async () => {
    const { call, tools } = openHostileServer('hang-call');
    closing.push(() => tools.release());
    const result = await call({}, AbortSignal.abort());
    expect(result).toMatchObject({ ok: false, error: { code: 'CANCELLED' } });
    expect(result.ok ? null : result.error.outcome).toBeUndefined();
  });

  it.each([
    ['500', 'unknown'],
    ['503', 'unknown'],
    ['408', 'unknown'],
    ['400', undefined],
    ['404', undefined],
    ['429', undefined],
  ] as const)('[MCP-unseen] over HTTP, answered with %s: %s', async (status, outcome) => {
    const { call } = await behind((_asked, response) => response.writeHead(Number(status)).end('no'));
    const result = await call();
    expect(result.ok).toBe(false);
    expect(result.ok ? null : result.error.outcome).toBe(outcome);
  });

  it('[MCP-unseen] over HTTP, cut off: unknown', async () => {
    const { call } = await behind((_asked, response) => response.socket?.destroy());
    expect(await call()).toMatchObject({ ok: false, error: { outcome: 'unknown' } });
  });

  it('[MCP-unseen] over HTTP, with nobody there any more: it failed', async () => {
    const { call, server, tools } = await behind((_asked, response) => response.end());
    await tools.list();
    server.close();
    server.closeAllConnections();
    const result = await call();
    expect(result).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
    expect(result.ok ? null : result.error.outcome).toBeUndefined();
  });
});

describe('an answer over HTTP', () => {
  it('[MCP-http-bounded] of more bytes than a message may have is cut off and refused, however good it is', async () => {
    const text = 'x'.repeat(33 * 1024 * 1024);
    const { call } = await behind(
      (_asked, response, body) => {
        const { id } = JSON.parse(body) as { id: number };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } }));
      },
      { ...short, callMs: 60_000 },
    );
    const result = await call();
    expect(result.ok ? 'taken' : result.error.message).toContain('The reply is over 33554432 bytes');
  });
});
