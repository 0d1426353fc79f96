import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startLoopbackProxy } from '../../../testing/loopback-proxy';
import { createPictureLoader, maxPictureBytes } from './load-picture';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(answer: (response: ServerResponse, path: string) => void) {
  const seen: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    seen.push({ path: url, headers });
    answer(response, url);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const load = createPictureLoader();

describe('createPictureLoader', () => {
  it('[RICH-image-click] requests the named host, without cookies, referrer or credentials', async () => {
    const { origin, seen } = await serve((response) => response.end('bytes'));
    expect(await load(`${origin}/a.png`)).toMatchObject({ ok: true });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.headers).not.toHaveProperty('cookie');
    expect(seen[0]?.headers).not.toHaveProperty('referer');
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
  });

  it('[RICH-image-click] follows a redirect on the same host only', async () => {
    const other = await serve((response) => response.end('bytes'));
    const { origin } = await serve((response, path) => {
      const to = path === '/same' ? '/here' : other.origin;
      if (path === '/here') response.end('bytes');
      else response.writeHead(302, { location: to }).end();
    });
    expect(await load(`${origin}/same`)).toMatchObject({ ok: true });
    const left = await load(`${origin}/away`);
    expect(left).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    expect(!left.ok && left.error.message).toContain(other.origin);
    expect(other.seen).toEqual([]);
  });

  it('[RICH-image-click] follows no redirect to the same host without encryption, and sends no credentials', async () => {
    const asked: [string, unknown][] = [];
    const loader = createPictureLoader({
      fetch: (url, init) => {
        asked.push([new Request(url).url, init]);
        return Promise.resolve(
          new Response(null, { status: 302, headers: { location: 'http://pictures.example/a.png' } }),
        );
      },
    });
    const left = await loader('https://pictures.example/a.png');
    expect(!left.ok && left.error.message).toContain('sends the request on to http://pictures.example');
    const anonymous = { redirect: 'manual', credentials: 'omit', referrerPolicy: 'no-referrer' };
    expect(asked).toEqual([
      ['https://pictures.example/a.png', expect.objectContaining(anonymous) as unknown],
    ]);
  });

  it('[RICH-image-click] stops at a size limit, at a loop and at a refusal', async () => {
    const { origin } = await serve((response, path) => {
      if (path === '/large') response.end(Buffer.alloc(maxPictureBytes + 1));
      else if (path === '/loop') response.writeHead(302, { location: '/loop' }).end();
      else response.writeHead(404).end();
    });
    for (const path of ['/large', '/loop', '/missing']) {
      expect(await load(`${origin}${path}`)).toMatchObject({ ok: false });
    }
  });

  it.each([
    ['127.0.0.1'],
    ['127.0.0.1', '93.184.216.34'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
  ])('[RICH-image-click] does not connect when a public name resolves to %s', async (...addresses) => {
    const { origin, seen } = await serve((response) => response.end('bytes'));
    const { port } = new URL(origin);
    const guarded = createPictureLoader({ resolve: () => Promise.resolve(addresses) });
    const refused = await guarded(`http://pictures.example:${port}/a.png`);
    expect(!refused.ok && refused.error.message).toContain('this computer or its network');
    expect(seen).toEqual([]);
  });

  it('[RICH-image-click] connects to the address that was checked, even if the name resolves to another later', async () => {
    const { origin, seen } = await serve((response, path) => {
      if (path === '/moved') response.writeHead(302, { location: '/a.png' }).end();
      else response.end('bytes');
    });
    const { port } = new URL(origin);
    const answers = [['127.0.0.1'], ['192.168.1.1']];
    const loader = createPictureLoader({ resolve: () => Promise.resolve(answers.shift() ?? []) });
    expect(await loader(`http://localhost:${port}/a.png`)).toMatchObject({ ok: true });
    expect(seen).toHaveLength(1);
    expect(answers).toHaveLength(1);
    const rebound = createPictureLoader({ resolve: () => Promise.resolve(['10.0.0.7']) });
    expect(await rebound(`http://pictures.example:${port}/moved`)).toMatchObject({ ok: false });
    expect(await loader(`${origin}/moved`)).toMatchObject({ ok: true });
  });

  it('[RICH-image-click] asks for the proxy of the system, which may know names that this computer does not', async () => {
    const { origin, seen } = await serve((response) => response.end('bytes'));
    const proxy = await startLoopbackProxy(() => Number(new URL(origin).port));
    const answers: Readonly<Record<string, readonly string[]>> = {
      'pictures.example': ['93.184.216.34'],
      'hidden.example': ['10.0.0.7'],
    };
    const loader = createPictureLoader({
      resolve: async (host) => answers[host] ?? Promise.reject(new Error('ENOTFOUND')),
      resolveProxy: async () => `PROXY ${new URL(proxy.address).host}`,
    });
    for (const host of ['pictures.example', 'only-the-proxy.example'])
      expect(await loader(`http://${host}/a.png`)).toMatchObject({ ok: true });
    const refused = await loader('http://hidden.example/a.png');
    expect(!refused.ok && refused.error.message).toContain('this computer or its network');
    expect(proxy.hosts).toEqual(['pictures.example:80', 'only-the-proxy.example:80']);
    expect(seen.map(({ headers }) => headers.host)).toEqual(['pictures.example', 'only-the-proxy.example']);
    await proxy.close();
  });

  it.each(['file:///etc/passwd', 'ftp://a.example/x', 'https://user:secret@a.example/x', 'relative.png'])(
    '[RICH-image-click] makes no request for %s',
    async (address) => {
      const asked: unknown[] = [];
      const deaf = createPictureLoader({
        fetch: (url) => {
          asked.push(url);
          return Promise.reject(new Error('never'));
        },
      });
      expect(await deaf(address)).toMatchObject({ ok: false, error: { code: 'INVALID_INPUT' } });
      expect(asked).toEqual([]);
    },
  );
});
