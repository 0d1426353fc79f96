import { afterEach, describe, expect, it } from 'vitest';
import { openHostileServer } from '../../../testing/open-hostile-server';
import {
  openListener,
  openPeerBehind,
  toolsOf,
  type OnToolCall,
} from '../../../testing/mcp-peers/open-peers';

const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

const short = { startMs: 5_000, callMs: 300, pingMs: 300 };
const never = new AbortController().signal;

/** A real HTTP server behind a proxy that decides, per test, the outcome of each tool call. */
async function behind(onCall: OnToolCall, timeouts = short) {
  const { server, url, close } = await openPeerBehind(onCall);
  const tools = toolsOf({ peer: { url } }, { timeouts });
  closing.push(() => tools.release(), close);
  return { server, call: () => tools.call('mcp://peer.add', { a: 1, b: 2 }, never), tools };
}

describe('a call that the server may have executed', () => {
  it.each(['hang-call', 'deaf-call', 'crash-call'])(
    '[MCP-unseen] %s: its outcome is unknown',
    async (fault) => {
      const { call, tools } = openHostileServer(fault, {}, short);
      closing.push(() => tools.release());
      expect(await call()).toMatchObject({ ok: false, error: { kind: 'TOOL', outcome: 'unknown' } });
    },
  );

  it('[MCP-unseen] is one cancelled after it was sent', async () => {
    const { call, tools, ports } = openHostileServer('hang-call');
    closing.push(() => tools.release());
    await tools.list();
    const stop = new AbortController();
    const pending = call({}, stop.signal);
    await expect.poll(() => ports.length).toBe(1);
    setImmediate(() => stop.abort());
    expect(await pending).toMatchObject({ ok: false, error: { code: 'CANCELLED', outcome: 'unknown' } });
  });

  it('[MCP-unseen] is not one cancelled before it was sent', async () => {
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

  it('[MCP-unseen] over HTTP, with the server gone: failed', async () => {
    const { call, server, tools } = await behind((_asked, response) => response.end());
    await tools.list();
    server.close();
    server.closeAllConnections();
    const result = await call();
    expect(result).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
    expect(result.ok ? null : result.error.outcome).toBeUndefined();
  });
});

describe('an HTTP server that is too busy', () => {
  it.each([
    [429, '7', 7_000, undefined],
    [503, '7', 7_000, 'unknown'],
    [429, '99999999999', 86_400_000, undefined],
  ] as const)('[MCP-retry-after] %i with Retry-After %s: waits %i ms', async (status, asked, ms, outcome) => {
    const { call } = await behind((_asked, response) =>
      response.writeHead(status, { 'retry-after': asked }).end('full'),
    );
    const result = await call();
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'UNAVAILABLE', retryable: true, retryAfterMs: ms },
    });
    if (result.ok) return;
    expect(result.error.outcome).toBe(outcome);
    expect(`${result.error.message} ${result.error.hint ?? ''}`).toBe(
      `Server "peer" is too busy (HTTP ${status}): full Retry in ${ms / 1_000} s, as it asks.`,
    );
  });

  it('[MCP-retry-after] may name a date', async () => {
    const { call } = await behind((_asked, response) => {
      const date = new Date(Date.now() + 3_600_000).toUTCString();
      response.writeHead(429, { 'retry-after': date }).end();
    });
    const result = await call();
    const wait = result.ok ? 0 : (result.error.retryAfterMs ?? 0);
    expect(wait).toBeGreaterThan(3_000_000);
    expect(wait).toBeLessThanOrEqual(3_600_000);
  });

  it('[MCP-retry-after] without a readable time is an ordinary failure', async () => {
    const { call } = await behind((_asked, response) =>
      response.writeHead(429, { 'retry-after': 'soon' }).end('full'),
    );
    const result = await call();
    expect(result.ok ? null : result.error.message).toContain('HTTP 429');
    expect(result.ok ? null : result.error.retryAfterMs).toBeUndefined();
  });

  it('[MCP-retry-after] during the handshake is not contacted that long, and then once', async () => {
    let asked = 0;
    const { url, close } = await openListener((_request, response) => {
      asked += 1;
      response.writeHead(503, { 'retry-after': '30' }).end('starting');
    });
    let time = 0;
    const tools = toolsOf({ peer: { url } }, { timeouts: short, now: () => time });
    closing.push(() => tools.release(), close);
    const use = () => tools.call('mcp://peer.add', {}, never);
    expect(await use()).toMatchObject({ error: { code: 'UNAVAILABLE', retryAfterMs: 30_000 } });
    time = 10_000;
    expect(await use()).toMatchObject({ error: { retryAfterMs: 20_000 } });
    expect(asked).toBe(1);
    time = 30_000;
    await use();
    expect(asked).toBe(2);
  });
});

describe('an HTTP response', () => {
  it('[MCP-http-bounded] larger than the message limit is cut off and refused, even if it is valid', async () => {
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
