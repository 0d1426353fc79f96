import { once } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { processAlive } from '../system/process-alive';
import { browse, json, openSignInWorld, type SignInWorld } from '../../../testing/oauth/sign-in-world';

let world: SignInWorld;
afterEach(() => world.close());

type Client = ReturnType<SignInWorld['openClient']>;

/** Signs in as a user does: sees the host, opens the browser, comes back. */
async function signIn(client: Client, visit: (page: string) => Promise<unknown> = (page) => browse(page)) {
  const offered = await client.signIn.offer('peer');
  if (!offered.ok) return offered;
  return client.signIn.signIn('peer', {
    host: offered.value.host,
    open: async (page) => void (await visit(page)),
  });
}

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}

const usual = { timeout: 30_000 };

describe('signing in to a real authorisation server', () => {
  it(
    '[OAUTH-sign-in] a server that answers 401 asks for a sign-in, and is used afterwards',
    usual,
    async () => {
      world = await openSignInWorld();
      const client = world.openClient();
      expect(await client.call('look')).toMatchObject({
        ok: false,
        error: { kind: 'TOOL', code: 'SIGN_IN' },
      });
      expect(client.signIn.state('peer')).toMatchObject({ state: 'needed', host: '' });
      const opened: string[] = [];
      const done = await signIn(client, (page) => {
        opened.push(page);
        return browse(page);
      });
      expect(done).toMatchObject({ ok: true, value: { host: new URL(world.issuer).host } });
      expect(new URL(opened[0] ?? '').searchParams.get('code_challenge_method')).toBe('S256');
      expect(await client.call('look')).toMatchObject({ ok: true });
      expect(client.signIn.state('peer')).toMatchObject({ state: 'signed-in' });
      // The next process finds the tokens.
      expect(await world.openClient().call('look')).toMatchObject({ ok: true });
    },
  );

  it(
    '[OAUTH-step-up] a call that needs more permissions names them, and works after a new sign-in',
    usual,
    async () => {
      world = await openSignInWorld();
      const client = world.openClient();
      await client.call('look');
      await signIn(client);
      const refused = await client.call('change');
      expect(refused).toMatchObject({ ok: false, error: { code: 'SIGN_IN' } });
      expect(client.signIn.state('peer')).toMatchObject({ state: 'needed', missing: ['tools:write'] });
      const again = await signIn(client);
      expect(again).toMatchObject({
        ok: true,
        value: { scopes: ['tools:read', 'tools:write', 'offline_access'] },
      });
      expect(await client.call('change')).toMatchObject({ ok: true });
    },
  );

  it('[OAUTH-step-up] another process asks for the permissions that a call lacked', usual, async () => {
    world = await openSignInWorld();
    const client = world.openClient();
    await client.call('look');
    await signIn(client);
    expect(await client.call('change')).toMatchObject({ ok: false, error: { code: 'SIGN_IN' } });
    expect(await signIn(world.openClient())).toMatchObject({
      ok: true,
      value: { scopes: expect.arrayContaining(['tools:read', 'tools:write']) as string[] },
    });
    expect(await world.openClient().call('change')).toMatchObject({ ok: true });
  });

  it('[OAUTH-hostile] renewed tokens of another type are refused', usual, async () => {
    world = await openSignInWorld();
    const client = world.openClient();
    await client.call('look');
    await signIn(client);
    await expire(client);
    const before = tokensOf(client);
    for (const issued of [
      { access_token: 'abcdefgh1', token_type: 'mac' },
      { access_token: 'a b\nc', token_type: 'Bearer' },
    ]) {
      world.hostile.issuer = (_request, response, url) => url.pathname === '/token' && json(response, issued);
      expect(await client.call('look')).toMatchObject({
        ok: false,
        error: { message: expect.stringMatching(/token/) as string },
      });
      expect(tokensOf(client)).toEqual(before);
    }
  });

  it(
    '[OAUTH-refresh] an expired token is renewed, and two concurrent processes lose none',
    usual,
    async () => {
      world = await openSignInWorld();
      const client = world.openClient();
      await client.call('look');
      await signIn(client);
      await expire(client);
      let renewals = 0;
      world.hostile.issuer = (_request, _response, url) => {
        if (url.pathname === '/token') renewals += 1;
        return false;
      };
      const [first, second] = [world.openClient(), world.openClient()];
      const both = await Promise.all([first.call('look'), second.call('look'), first.call('look')]);
      expect(both.map(({ ok }) => ok)).toEqual([true, true, true]);
      expect(renewals).toBe(1);
      await expire(client);
      expect(await world.openClient().call('look')).toMatchObject({ ok: true });
    },
  );

  it('[OAUTH-sign-out] the tokens are deleted here and revoked there', usual, async () => {
    world = await openSignInWorld();
    const client = world.openClient();
    await client.call('look');
    await signIn(client);
    const token = tokensOf(client).access_token;
    expect(await client.signIn.signOut('peer')).toEqual({ ok: true, value: null });
    expect(client.secrets.get(REF).ok).toBe(false);
    expect(await world.provider.AccessToken.find(token)).toBeUndefined();
    expect(await client.call('look')).toMatchObject({ ok: false, error: { code: 'SIGN_IN' } });
  });

  it('[OAUTH-sign-out] also ends a renewal that is under way', usual, async () => {
    const renewed = deferred<unknown>();
    const lock = {
      pid: process.pid,
      processAlive,
      now: Date.now,
      wait: async () => void (await renewed.promise),
    };
    world = await openSignInWorld({ lock });
    const client = world.openClient();
    await client.call('look');
    await signIn(client);
    await expire(client);
    const asked = deferred<ServerResponse>();
    world.hostile.issuer = (_request, response, url) => {
      if (url.pathname !== '/token') return false;
      asked.resolve(response);
      return true;
    };
    const calling = client.call('look').then(renewed.resolve);
    const response = await asked.promise;
    world.hostile.issuer = null;
    const ending = world.openClient().signIn.signOut('peer');
    json(response, { access_token: 'renewed-token', refresh_token: 'renewed', token_type: 'Bearer' });
    await calling;
    expect(await ending).toEqual({ ok: true, value: null });
    expect(client.secrets.get(REF).ok).toBe(false);
  });

  it('[OAUTH-sign-out] revokes the tokens of a client that proves itself with a header', usual, async () => {
    world = await openSignInWorld();
    const announce = metadataWith(({ issuer }) => ({
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
      revocation_endpoint: `${String(issuer)}/token/revocation`,
    }));
    world.hostile.issuer = (request, response, url) => {
      const proven = request.headers.authorization?.startsWith('Basic ') === true;
      if (url.pathname === '/token/revocation' && !proven)
        return json(response, { error: 'invalid_client' }, 401);
      return announce?.(request, response, url) ?? false;
    };
    const client = world.openClient();
    await client.call('look');
    expect(await signIn(client)).toMatchObject({ ok: true });
    const token = tokensOf(client).access_token;
    expect(await client.signIn.signOut('peer')).toEqual({ ok: true, value: null });
    expect(await world.provider.AccessToken.find(token)).toBeUndefined();
  });

  it(
    '[OAUTH-killed] an interrupted sign-in leaves nothing behind, and the next one works',
    usual,
    async () => {
      world = await openSignInWorld();
      const dying = world.openClient();
      await dying.call('look');
      const half = signIn(dying, () => Promise.resolve());
      const next = world.openClient();
      expect(next.signIn.state('peer')).toMatchObject({ state: 'none' });
      await next.call('look');
      expect(await signIn(next)).toMatchObject({ ok: true });
      dying.signIn.cancel('peer');
      expect(await half).toMatchObject({ ok: false, error: { code: 'CANCELLED' } });
      expect(await world.openClient().call('look')).toMatchObject({ ok: true });
    },
  );

  it(
    '[OAUTH-tokens-private] no token reaches a result, a refusal, an error or another address',
    usual,
    async () => {
      world = await openSignInWorld();
      const client = world.openClient();
      await client.call('look');
      await signIn(client);
      const token = tokensOf(client).access_token;
      world.hostile.server = (request, response) =>
        request.headers.authorization !== undefined && json(response, { error: token, token }, 500);
      const called = JSON.stringify([await client.call('look'), client.tools.servers()]);
      expect(called).not.toContain(token);
      world.hostile.server = null;
      const echoed = await client.call('echo');
      expect(echoed.ok && JSON.stringify(echoed.value)).toMatch(/Bearer /);
      expect(JSON.stringify(echoed)).not.toContain(token);
    },
  );

  it('[OAUTH-offline] a missing authorisation server is a clear error', usual, async () => {
    world = await openSignInWorld();
    const client = world.openClient();
    await client.call('look');
    world.hostile.issuer = (request) => Boolean(request.socket.destroy());
    expect(await client.signIn.offer('peer')).toMatchObject({
      ok: false,
      error: {
        code: 'UNAVAILABLE',
        retryable: true,
        message: expect.stringMatching(/could not be reached/) as string,
      },
    });
  });
});

const REF = 'mcp-sign-in.peer.terminal';

interface StoredTokens {
  readonly access_token: string;
  readonly refresh_token?: string;
}

function tokensOf(client: Client): StoredTokens {
  const stored = client.secrets.get(REF);
  if (!stored.ok) throw new Error('There are no tokens.');
  return (JSON.parse(stored.value) as { tokens: StoredTokens }).tokens;
}

/** Makes the authorisation server forget the access token. */
async function expire(client: Client): Promise<void> {
  const token = await world.provider.AccessToken.find(tokensOf(client).access_token);
  await token?.destroy();
}

/** What the authorisation server says about itself, changed. */
const metadataWith =
  (change: (metadata: Record<string, unknown>) => object): SignInWorld['hostile']['issuer'] =>
  (_request, response, url) => {
    if (!url.pathname.startsWith('/.well-known/')) return false;
    const at = url.origin;
    const usualMetadata = {
      issuer: at,
      authorization_endpoint: `${at}/auth`,
      token_endpoint: `${at}/token`,
      registration_endpoint: `${at}/reg`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    };
    return json(response, { ...usualMetadata, ...change(usualMetadata) });
  };

/** What the server says about itself, changed. */
const resourceWith =
  (change: object): SignInWorld['hostile']['server'] =>
  (_request, response, url) =>
    url.pathname.startsWith('/.well-known/oauth-protected-resource') &&
    json(response, {
      resource: world.url,
      authorization_servers: [world.issuer],
      ...change,
    });

interface Variant {
  readonly server?: () => SignInWorld['hostile']['server'];
  readonly issuer?: () => SignInWorld['hostile']['issuer'];
  readonly says: RegExp;
}

const huge = 'x'.repeat(400_000);
const elsewhere = 'http://127.0.0.1:9';

/** Refused before anything is registered or opened. */
const announced: Readonly<Record<string, Variant>> = {
  'the issuer without encryption': {
    server: () => resourceWith({ authorization_servers: ['http://login.example.org'] }),
    says: /without encryption/,
  },
  'an authorisation server where clouds publish keys': {
    server: () => resourceWith({ authorization_servers: ['https://169.254.169.254/'] }),
    says: /not allowed/,
  },
  'metadata of another issuer': {
    issuer: () => metadataWith(() => ({ issuer: 'https://login.example.org' })),
    says: /another issuer/,
  },
  'a token endpoint of another host': {
    issuer: () => metadataWith(() => ({ token_endpoint: 'https://evil.example.org/token' })),
    says: /another host/,
  },
  'a token endpoint on another port': {
    issuer: () => metadataWith(() => ({ token_endpoint: `${elsewhere}/token` })),
    says: /another host/,
  },
  'a page to open of another host': {
    issuer: () => metadataWith(() => ({ authorization_endpoint: 'https://bank.example.org/authorize' })),
    says: /another host/,
  },
  'a page to open that is not on the web': {
    issuer: () => metadataWith(() => ({ authorization_endpoint: 'file:///etc/passwd' })),
    says: /starts with file:|not valid/,
  },
  'a token endpoint without encryption': {
    issuer: () => metadataWith(() => ({ token_endpoint: 'http://login.example.org/token' })),
    says: /without encryption/,
  },
  'no protection of the code': {
    issuer: () => metadataWith(() => ({ code_challenge_methods_supported: ['plain'] })),
    says: /PKCE/,
  },
  'no word about the protection of the code': {
    issuer: () => metadataWith(() => ({ code_challenge_methods_supported: undefined })),
    says: /PKCE/,
  },
  'only tokens in the address': {
    issuer: () => metadataWith(() => ({ response_types_supported: ['token'] })),
    says: /authorisation code/,
  },
  'metadata of 400 kB': {
    issuer: () => metadataWith(() => ({ padding: huge })),
    says: /more than 256 kB/,
  },
  'a description of 400 kB': { server: () => resourceWith({ padding: huge }), says: /more than 256 kB/ },
  'metadata that redirects to another host': {
    issuer: () => (_request, response, url) => {
      if (!url.pathname.startsWith('/.well-known/')) return false;
      response.writeHead(302, { location: `${elsewhere}/metadata` }).end();
      return true;
    },
    says: /redirects to/,
  },
  'another resource': {
    server: () => resourceWith({ resource: 'https://mail.example.org/mcp' }),
    says: /another resource/,
  },
  'a description on another host': {
    server: () => (_request, response, url) =>
      url.pathname === '/mcp' &&
      json(response, {}, 401, { 'www-authenticate': `Bearer resource_metadata="${elsewhere}/x"` }),
    says: /another host/,
  },
  'metadata that is not JSON': {
    issuer: () => (_request, response, url) => {
      if (!url.pathname.startsWith('/.well-known/')) return false;
      response.writeHead(200, { 'content-type': 'application/json' }).end('<html>');
      return true;
    },
    says: /not valid|not JSON/,
  },
};

describe('the metadata of a hostile server or authorisation server', () => {
  it.each(Object.entries(announced))('[OAUTH-hostile] %s is refused', usual, async (_name, variant) => {
    world = await openSignInWorld();
    world.hostile.server = variant.server?.() ?? null;
    world.hostile.issuer = variant.issuer?.() ?? null;
    const client = world.openClient();
    await client.call('look');
    const offered = await client.signIn.offer('peer');
    expect(offered).toMatchObject({ ok: false, error: { kind: 'TOOL', code: 'FAILED' } });
    expect(!offered.ok && offered.error.message).toMatch(variant.says);
    expect(client.secrets.get(REF).ok).toBe(false);
  });
});

/** Asks for an address as another page or program could; returns the status. */
async function knock(address: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  const asked = get(address, { headers });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

const isCallback = (url: URL): boolean => url.pathname === '/callback';

const refuse = (back: URL): void => {
  back.searchParams.delete('code');
  back.searchParams.set('error', 'access_denied');
};

describe('the browser’s return', () => {
  it(
    '[OAUTH-hostile] with another state, page, host or path is ignored, and a code is used once',
    usual,
    async () => {
      world = await openSignInWorld();
      const client = world.openClient();
      await client.call('look');
      const statuses: (number | undefined)[] = [];
      const done = await signIn(client, async (page) => {
        const back = new URL((await browse(page, isCallback)).at(-1) ?? '');
        const forged = new URL(back);
        forged.searchParams.set('state', 'x'.repeat(43));
        statuses.push(await knock(forged.href));
        statuses.push(await knock(back.href, { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }));
        statuses.push(await knock(back.href, { host: 'evil.example.org' }));
        statuses.push(await knock(back.href.replace('/callback', '/other')));
        statuses.push(await knock(`${back.href}&code=another`));
        statuses.push(await knock(back.href), await knock(back.href).catch(() => 400));
      });
      expect(done).toMatchObject({ ok: true });
      expect(statuses).toEqual([400, 400, 400, 400, 400, 200, 400]);
    },
  );

  const returned: readonly (readonly [string, (back: URL) => void, RegExp])[] = [
    [
      'another issuer',
      (back) => back.searchParams.set('iss', 'https://evil.example.org'),
      /does not come from/,
    ],
    ['no issuer where one was promised', (back) => back.searchParams.delete('iss'), /does not come from/],
    ['a code that was never issued', (back) => back.searchParams.set('code', 'invented'), /invalid_grant/],
    ['a refusal', refuse, /declined/],
    [
      'a refusal of another issuer',
      (back) => {
        refuse(back);
        back.searchParams.set('iss', 'https://evil.example.org');
      },
      /does not come from/,
    ],
  ];
  it.each(returned)('[OAUTH-hostile] %s ends the sign-in', usual, async (_name, change, says) => {
    world = await openSignInWorld();
    const client = world.openClient();
    await client.call('look');
    const done = await signIn(client, async (page) => {
      const back = new URL((await browse(page, isCallback)).at(-1) ?? '');
      change(back);
      await knock(back.href);
    });
    expect(done).toMatchObject({ ok: false });
    expect(!done.ok && done.error.message).toMatch(says);
    expect(client.secrets.get(REF).ok).toBe(false);
  });

  it('[OAUTH-hostile] with a code that was already used gets no token', usual, async () => {
    world = await openSignInWorld();
    const client = world.openClient();
    await client.call('look');
    let code = '';
    await signIn(client, async (page) => {
      const visited = await browse(page);
      code = new URL(visited.at(-1) ?? '').searchParams.get('code') ?? '';
    });
    const again = await signIn(world.openClient(), async (page) => {
      const back = new URL((await browse(page, isCallback)).at(-1) ?? '');
      back.searchParams.set('code', code);
      await knock(back.href);
    });
    expect(again).toMatchObject({ ok: false });
  });

  it(
    '[OAUTH-hostile] of an earlier sign-in is ignored after a second one to the same server',
    usual,
    async () => {
      world = await openSignInWorld();
      const client = world.openClient();
      await client.call('look');
      const first = signIn(client, () => Promise.resolve());
      const offered = await client.signIn.offer('peer');
      expect(offered.ok).toBe(true);
      expect(await signIn(client)).toMatchObject({ ok: true });
      expect(await first).toMatchObject({ ok: false, error: { code: 'CANCELLED' } });
    },
  );

  it('[OAUTH-hostile] goes to no host that the user has not seen', usual, async () => {
    world = await openSignInWorld();
    const client = world.openClient();
    await client.call('look');
    await client.signIn.offer('peer');
    const opened: string[] = [];
    const open = (page: string) => Promise.resolve(void opened.push(page));
    const done = await client.signIn.signIn('peer', { host: 'other.example.org', open });
    expect(done).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STATE' } });
    expect(opened).toEqual([]);
  });

  it('[OAUTH-hostile] with tokens of another type is refused', usual, async () => {
    world = await openSignInWorld();
    const client = world.openClient();
    await client.call('look');
    world.hostile.issuer = (_request, response, url) =>
      url.pathname === '/token' && json(response, { access_token: 'abcdefgh1', token_type: 'mac' });
    expect(await signIn(client)).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/another type/) as string },
    });
  });

  it('[OAUTH-hostile] sends no code to another host that a token endpoint redirects to', usual, async () => {
    world = await openSignInWorld();
    const client = world.openClient();
    await client.call('look');
    world.hostile.issuer = (_request, response, url) => {
      if (url.pathname !== '/token') return false;
      response.writeHead(307, { location: `${elsewhere}/token` }).end();
      return true;
    };
    expect(await signIn(client)).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/redirects to/) as string },
    });
  });
});
