import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { toolsOf } from '../../../testing/mcp-peers/open-peers';
import { addressProblem } from './server-address';

const open: Server[] = [];
afterEach(() => open.splice(0).forEach((server) => server.close()));

async function serve(
  status: number,
  headers: Record<string, string>,
): Promise<{ url: string; hits: string[] }> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.url ?? '');
    response.writeHead(status, headers).end();
  }).listen(0, '127.0.0.1');
  open.push(server);
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, hits };
}

describe('the address of a server [H48]', () => {
  it.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'ftp://example.org',
    'http://169.254.169.254/latest',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://0.0.0.0:80',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[::ffff:169.254.169.254]/',
    'http://metadata.google.internal/',
    'http://metadata.google.internal./',
    'https://user:key@example.org/mcp',
    'no address',
  ])('[MCP-address] %s is refused', (address) => {
    expect(addressProblem(address)).not.toBeNull();
  });

  it.each([
    'https://example.org/mcp',
    'http://127.0.0.1:8080/mcp',
    'http://localhost/mcp',
    'http://192.168.1.5/mcp',
    'http://[::1]/',
  ])('[MCP-address] %s is allowed as the user’s own choice', (address) => {
    expect(addressProblem(address)).toBeNull();
  });

  it('[MCP-address] that is not allowed is not called: the server fails and says why', async () => {
    const tools = toolsOf({ x: { url: 'http://169.254.169.254/mcp' } });
    expect(await tools.call('mcp://x.y', {}, new AbortController().signal)).toMatchObject({
      ok: false,
      error: { kind: 'CONFIG', code: 'INVALID' },
    });
  });

  it.each([
    [401, 'SIGN_IN'],
    [403, 'UNAVAILABLE'],
  ])('[MCP-address] %d is a typed error that says what to do', async (status, code) => {
    const { url } = await serve(status, {
      'www-authenticate': 'Bearer resource_metadata="file:///etc/passwd"',
    });
    const result = await toolsOf({ x: { url } }).call('mcp://x.y', {}, new AbortController().signal);
    expect(result).toMatchObject({
      ok: false,
      error: { kind: 'TOOL', code, retryable: false },
    });
    expect(result.ok ? '' : result.error.hint).toContain('Authorization');
  });

  it('[MCP-address] is kept at a redirect to another origin, which is not followed and gets no header', async () => {
    const elsewhere = await serve(200, {});
    const { url } = await serve(307, { location: `${elsewhere.url}/steal` });
    const tools = toolsOf({ x: { url, headers: { Authorization: 'Bearer k' } } });
    const result = await tools.call('mcp://x.y', {}, new AbortController().signal);
    expect(result.ok ? 'called' : result.error.message).toMatch(/redirect/i);
    expect(elsewhere.hits).toEqual([]);
  });
});
