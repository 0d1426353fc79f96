import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startLoopbackProxy } from '../../../testing/loopback-proxy';
import { selfSigned } from '../../../testing/self-signed';
import { createRunSpans } from '../telemetry/run-spans';
import { proxyAgentsFor } from './proxy-agent';

let server: Server;
let proxy: Awaited<ReturnType<typeof startLoopbackProxy>>;
let home: string;
const asked: string[] = [];
const port = () => (server.address() as AddressInfo).port;
const answer: RequestListener = (request, response) => {
  asked.push(`${request.method} ${request.headers.host}${request.url}`);
  request.resume().on('end', () => response.end('{}'));
};
async function listen(made: Server): Promise<void> {
  server = made;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

beforeEach(async () => {
  asked.length = 0;
  home = mkdtempSync(join(tmpdir(), 'patina-proxy-'));
  proxy = await startLoopbackProxy(port);
});
afterEach(async () => {
  await proxy.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(home, { recursive: true, force: true });
});

const through = async () => `PROXY ${new URL(proxy.address).host}`;

/** Sends one span to a collector. */
async function sendTrace(collector: string): Promise<void> {
  const traces = createRunSpans({
    home,
    version: '1.0.0',
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector },
    resolveProxy: through,
  });
  traces.write({ run: { name: 'run', startedAt: 1, endedAt: 2, values: {}, moments: [] }, nodes: [] });
  await traces.close();
}

describe('[TEL-proxy] a collector of traces', () => {
  it('is reached through the proxy of the system, which alone knows its name', async () => {
    await listen(createServer(answer));
    await sendTrace('http://collector.invalid:4318');
    expect(asked).toEqual(['POST collector.invalid:4318/v1/traces']);
    expect(proxy.hosts).toEqual(['collector.invalid:4318']);
  });

  it('is reached directly on this computer, and where a variable names a proxy', async () => {
    await listen(createServer(answer));
    await sendTrace(`http://127.0.0.1:${port()}`);
    expect(asked).toHaveLength(1);
    expect(proxy.hosts).toEqual([]);
    const env = { HTTPS_PROXY: 'http://other.invalid:1' };
    expect(proxyAgentsFor({ env, resolveProxy: through })).toBeUndefined();
  });

  it('is reached over TLS inside the tunnel', async () => {
    const pair = selfSigned();
    await listen(createSecureServer(pair, answer));
    const agent = await proxyAgentsFor({ env: {}, resolveProxy: through })?.('https:');
    const options = { agent, rejectUnauthorized: false };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      secureRequest('https://collector.invalid/v1', options, resolve).on('error', reject).end();
    });
    expect(response.statusCode).toBe(200);
    expect(asked).toEqual(['GET collector.invalid/v1']);
    expect(proxy.hosts).toEqual(['collector.invalid:443']);
  });

  it('that the proxy refuses fails with the reason', async () => {
    await listen(createServer((_request, response) => void response.end()));
    server.on('connect', (_request, socket) =>
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
    );
    const resolveProxy = async () => `PROXY 127.0.0.1:${port()}`;
    const agent = await proxyAgentsFor({ env: {}, resolveProxy })?.('https:');
    const failed = new Promise((resolve) => {
      secureRequest('https://collector.invalid/', { agent }).on('error', resolve).end();
    });
    expect(String(await failed)).toMatch(/refused collector\.invalid:443 with status 407/);
  });
});
