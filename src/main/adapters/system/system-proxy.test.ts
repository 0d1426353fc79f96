import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startLoopbackProxy } from '../../../testing/loopback-proxy';
import { fetchFor, proxyIn, systemProxyFetch } from './system-proxy';

let server: Server;
let proxy: Awaited<ReturnType<typeof startLoopbackProxy>>;
const port = () => (server.address() as AddressInfo).port;
beforeEach(async () => {
  server = createServer((request, response) => void response.end(request.headers.host));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy = await startLoopbackProxy(port);
});
afterEach(async () => {
  await proxy.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const asking = (answer: (address: string) => string | Promise<string>) => {
  const asked: string[] = [];
  const resolve = async (address: string) => {
    asked.push(address);
    return answer(address);
  };
  return { asked, fetch: systemProxyFetch(resolve) };
};
const through = () => `PROXY ${new URL(proxy.address).host}; DIRECT`;

describe('[LOCAL-proxy] the proxy of the system', () => {
  it('is asked for before each request, with no more than the origin, and used', async () => {
    const { asked, fetch } = asking(through);
    for (const path of ['secret', 'other']) {
      const response = await fetch(`http://models.example/v1/${path}?key=k`, { method: 'POST', body: '{}' });
      expect(await response.text()).toBe('models.example');
    }
    expect(asked).toEqual(['http://models.example/', 'http://models.example/']);
    expect(proxy.hosts).toContain('models.example:80');
  });

  it.each(['127.0.0.1', 'localhost'])('is not asked for %s', async (host) => {
    const { asked, fetch } = asking(through);
    expect(await (await fetch(`http://${host}:${port()}/`)).text()).toBe(`${host}:${port()}`);
    expect(asked).toEqual([]);
    expect(proxy.hosts).toEqual([]);
  });

  it.each([
    ['DIRECT', () => 'DIRECT'],
    ['nothing that can be used', () => 'SOCKS5 socks.example:1080'],
    ['no answer', () => Promise.reject(new Error('no settings'))],
  ])('leaves the request direct for %s', async (_, answer) => {
    const direct: unknown[] = [];
    const fetch = systemProxyFetch(async () => answer(), {
      direct: (input) => {
        direct.push(input);
        return Promise.resolve(new Response('direct'));
      },
    });
    expect(await (await fetch('http://models.example/v1')).text()).toBe('direct');
    expect(direct).toEqual(['http://models.example/v1']);
    expect(proxy.hosts).toEqual([]);
  });

  it('does not keep a stopped request waiting for an answer', async () => {
    const { fetch } = asking(() => new Promise<string>(() => undefined));
    const stop = new AbortController();
    const request = fetch('http://models.example/', { signal: stop.signal });
    stop.abort(new Error('Stopped.'));
    await expect(request).rejects.toThrow('Stopped.');
    await expect(fetch('http://models.example/', { signal: stop.signal })).rejects.toThrow('Stopped.');
  });

  it.each([
    ['PROXY a.example:3128', 'http://a.example:3128'],
    ['HTTPS a.example:443; PROXY b.example:80', 'https://a.example:443'],
    ['SOCKS a.example:1; proxy  b.example:80', 'http://b.example:80'],
    ['DIRECT; PROXY a.example:80', null],
    ['PROXY ; PROXY a b', 'http://a'],
    ['', null],
  ])('is read from the answer of a script: %s', (answer, address) => {
    expect(proxyIn(answer)).toBe(address);
  });

  it('is only for the app, and only where no variable names one', () => {
    const resolveProxy = async () => 'DIRECT';
    expect(fetchFor({ env: {} })).toBeUndefined();
    expect(fetchFor({ resolveProxy, env: { https_proxy: 'http://a:1' } })).toBeUndefined();
    expect(fetchFor({ resolveProxy, env: { NO_PROXY: 'a.example' } })).toBeTypeOf('function');
  });
});
