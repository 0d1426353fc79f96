import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
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
  it('[RICH-image-click] asks the named host, without cookies, referrer or credentials', async () => {
    const { origin, seen } = await serve((response) => response.end('bytes'));
    expect(await load(`${origin}/a.png`)).toMatchObject({ ok: true });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.headers).not.toHaveProperty('cookie');
    expect(seen[0]?.headers).not.toHaveProperty('referer');
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
  });

  it('[RICH-image-click] follows a redirect on the same host, and none to another', async () => {
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

  it('[RICH-image-click] stops at a size, at a loop and at a refusal', async () => {
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
    ['10.0.0.7', '93.184.216.34'],
    ['192.168.1.1'],
    ['169.254.169.254'],
    ['::1'],
    ['fd00::1'],
  ])('[RICH-image-click] asks nothing of a name that leads to %s', async (...addresses) => {
    const asked: unknown[] = [];
    const guarded = createPictureLoader({
      fetch: (url) => {
        asked.push(url);
        return Promise.resolve(new Response('bytes'));
      },
      resolve: () => Promise.resolve(addresses),
    });
    const refused = await guarded('http://pictures.example/a.png');
    expect(!refused.ok && refused.error.message).toContain('this computer or its network');
    expect(asked).toEqual([]);
  });

  it('[RICH-image-click] loads from a public name, and from an address that the user saw', async () => {
    const loader = createPictureLoader({
      fetch: () => Promise.resolve(new Response('bytes')),
      resolve: () => Promise.resolve(['93.184.216.34']),
    });
    expect(await loader('https://pictures.example/a.png')).toMatchObject({ ok: true });
    expect(await loader('http://192.168.1.5/a.png')).toMatchObject({ ok: true });
    expect(await loader('http://localhost:3000/a.png')).toMatchObject({ ok: true });
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
