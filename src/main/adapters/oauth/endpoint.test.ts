import { describe, expect, it } from 'vitest';
import { endpointProblem } from './endpoint';
import { createGuardedFetch } from './guarded-fetch';

const names: Readonly<Record<string, readonly string[]>> = {
  'mcp.example.org': ['93.184.216.34'],
  'login.example.org': ['93.184.216.35'],
  'inside.example.org': ['93.184.216.36', '10.0.0.7'],
  'rebound.example.org': ['127.0.0.1'],
  'mapped.example.org': ['::1'],
  'office.example.org': ['192.168.1.5'],
};
const resolve = (host: string) => Promise.resolve(names[host] ?? []);
const judge = (address: string, server: string) => endpointProblem(address, new URL(server), resolve);

describe('[OAUTH-hostile] a server cannot redirect the sign-in closer to this machine than itself', () => {
  it.each([
    'https://inside.example.org/',
    'https://rebound.example.org/',
    'https://mapped.example.org/',
    'https://127.0.0.1/',
    'https://localhost/',
    'https://192.168.0.1/',
    'https://[fd00::1]/',
  ])('%s for a public server', async (address) => {
    expect(await judge(address, 'https://mcp.example.org/mcp')).toMatch(/of this machine or its network/);
  });

  it('a host of the same network is allowed, and a public one always', async () => {
    expect(await judge('https://192.168.0.1/', 'https://office.example.org/mcp')).toBeNull();
    expect(await judge('https://login.example.org/', 'https://mcp.example.org/mcp')).toBeNull();
    expect(await judge('https://login.example.org/', 'http://localhost:3000/mcp')).toBeNull();
    expect(await judge('http://127.0.0.1:4000/', 'http://localhost:3000/mcp')).toBeNull();
  });

  it.each([
    ['http://login.example.org/', /without encryption/],
    ['http://127.0.0.1:4000/', /without encryption/],
    ['https://user:word@login.example.org/', /name or password/],
    ['https://login.example.org/#x', /fragment/],
    ['https://169.254.169.254/', /not allowed/],
  ])('%s is never allowed', async (address, says) => {
    expect(await judge(address, 'https://mcp.example.org/mcp')).toMatch(says);
  });

  it('an address that was allowed when it was found is not asked once its name leads here', async () => {
    const asked: string[] = [];
    const guarded = createGuardedFetch({
      server: new URL('https://mcp.example.org/mcp'),
      resolve,
      fetch: (url) => {
        asked.push(String(url));
        return Promise.resolve(new Response('{}'));
      },
    });
    await expect(guarded('https://rebound.example.org/token')).rejects.toThrow(/of this machine/);
    await guarded('https://login.example.org/token');
    expect(asked).toEqual(['https://login.example.org/token']);
  });
});
