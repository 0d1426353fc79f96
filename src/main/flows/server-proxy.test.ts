import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startLoopbackProxy } from '../../testing/loopback-proxy';
import { startMain, type MainHarness } from '../../testing/main-harness';

let proxy: Awaited<ReturnType<typeof startLoopbackProxy>>;
let server: Server;
let main: MainHarness;
const seen: string[] = [];

beforeEach(async () => {
  seen.length = 0;
  server = createServer(({ headers }, response) => {
    seen.push(headers.host ?? '');
    response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy = await startLoopbackProxy(() => (server.address() as AddressInfo).port);
});
afterEach(async () => {
  await main.close();
  await proxy.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const start = (env = {}) =>
  startMain({
    kind: 'app',
    env,
    resolveProxy: async () => `PROXY ${new URL(proxy.address).host}`,
    prepareHome(home) {
      mkdirSync(join(home, 'mcp'), { recursive: true });
      const mcpServers = {
        plain: { url: 'http://mcp.invalid/mcp' },
        safe: { url: 'https://safe.invalid/mcp' },
      };
      writeFileSync(join(home, 'mcp/registry.json'), JSON.stringify({ mcpServers }));
    },
  });

describe('[MCP-proxy] the proxy of the system', () => {
  it('carries the calls and the sign-in of a remote server, whose name only the proxy knows', async () => {
    main = await start();
    const runtime = await main.app.agentRuntime();
    await runtime.checkServers(main.home, 'live');
    expect(seen).toContain('mcp.invalid');
    expect(proxy.hosts).toEqual(expect.arrayContaining(['mcp.invalid:80', 'safe.invalid:443']));
    const before = proxy.hosts.length;
    await runtime.signIn.offer('safe');
    expect(proxy.hosts.slice(before)).toEqual(['safe.invalid:443']);
  });

  it('is not asked for where a variable names a proxy', async () => {
    main = await start({ HTTPS_PROXY: 'http://other.invalid:1' });
    await (await main.app.agentRuntime()).checkServers(main.home, 'live');
    expect(proxy.hosts).toEqual([]);
  });
});
