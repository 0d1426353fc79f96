import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import {
  createServer,
  get,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Provider from 'oidc-provider';
import { appError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { err } from '#shared/result';
import { createChildLinePort } from '../../main/adapters/mcp/child-line-port';
import { createTools } from '../../main/adapters/mcp/create-tools';
import { parseRegistry } from '../../main/adapters/mcp/registry';
import { httpAddress } from '../../main/adapters/mcp/registry-references';
import { createSignIn, type SignInDeps } from '../../main/adapters/oauth/create-sign-in';
import { createFileSecrets } from '../../main/adapters/secrets/file-secrets';
import { processAlive } from '../../main/adapters/system/process-alive';

/** Answers one request; false leaves it to the usual answer. */
export type Hostile = (request: IncomingMessage, response: ServerResponse, url: URL) => boolean;

async function listen(answer: RequestListener): Promise<{ server: Server; origin: string }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

export function json(response: ServerResponse, body: unknown, status = 200, headers: object = {}): boolean {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
  return true;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += String(part);
  return text;
}

/** A real authorisation server (OpenID Connect provider) that lets every user in at once. */
async function openAuthorisationServer(resource: string, hostile: () => Hostile | null) {
  let handler: RequestListener = () => undefined;
  const { server, origin } = await listen((request, response) => {
    const url = new URL(request.url ?? '/', origin);
    if (hostile()?.(request, response, url) !== true) handler(request, response);
  });
  const provider = new Provider(origin, {
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'tools:read tools:write',
          accessTokenFormat: 'opaque',
          accessTokenTTL: 3_600,
        }),
      },
    },
    scopes: ['openid', 'offline_access', 'tools:read', 'tools:write'],
    clientDefaults: { token_endpoint_auth_method: 'none' },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: () => Promise.resolve(true),
    ttl: { AccessToken: 3_600, Grant: 3_600, RefreshToken: 3_600, Session: 3_600, Interaction: 600 },
    interactions: { url: (_ctx, interaction) => `/agree/${interaction.uid}` },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  });
  const serve = provider.callback();
  handler = (request, response) => {
    if (request.url?.startsWith('/agree/')) void agree(provider, request, response);
    else void serve(request, response);
  };
  return { server, origin, provider };
}

/** What a user does on the pages of the authorisation server: signs in, and grants what is asked. */
async function agree(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { params, session } = await provider.interactionDetails(request, response);
  const grant = new provider.Grant({
    accountId: session?.accountId ?? 'ada',
    clientId: String(params['client_id']),
  });
  const textOf = (name: string): string => {
    const value = params[name];
    return typeof value === 'string' ? value : '';
  };
  const scope = textOf('scope');
  const resource = textOf('resource');
  grant.addOIDCScope(scope);
  if (resource !== '') grant.addResourceScope(resource, scope);
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { login: { accountId: 'ada' }, consent });
}

interface Asked {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

function resultOf({ method, params }: Asked, authorization: string): JsonObject {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'guarded', version: '1' },
    };
  const tool = (name: string): JsonObject => ({ name, description: name, inputSchema: { type: 'object' } });
  if (method === 'tools/list') return { tools: [tool('look'), tool('change'), tool('echo')] };
  return { content: [{ type: 'text', text: params?.name === 'echo' ? authorization : 'done' }] };
}

/** The answer to a request of a client that may make it. */
function reply(response: ServerResponse, asked: Asked, authorization: string): void {
  const { id } = asked;
  if (id === undefined) return void response.writeHead(202).end();
  if (asked.method === 'server/discover')
    return void json(response, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
  json(response, { jsonrpc: '2.0', id, result: resultOf(asked, authorization) });
}

/**
 * A guarded MCP server, a real authorisation server, and Patina's client for both. `atServer` and `atIssuer`
 * let a test answer in their place.
 */
export async function openSignInWorld(more: Partial<SignInDeps> = {}, oauth?: JsonObject) {
  const hostile: { server: Hostile | null; issuer: Hostile | null } = { server: null, issuer: null };
  const seen = { authorizations: [] as string[], tokensRefused: 0 };
  let issuer: Awaited<ReturnType<typeof openAuthorisationServer>> | null = null;
  const scopeOf = async (token: string): Promise<string | null> => {
    const found = await issuer?.provider.AccessToken.find(token);
    return found?.aud === url ? (found.scope ?? '') : null;
  };
  const describe = (response: ServerResponse) =>
    json(response, {
      resource: url,
      authorization_servers: [issuer?.origin],
      scopes_supported: ['tools:read'],
    });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = new URL(request.url ?? '/', mcp.origin);
    if (hostile.server?.(request, response, at) === true) return;
    if (at.pathname.startsWith('/.well-known/oauth-protected-resource')) return void describe(response);
    if (at.pathname !== '/mcp') return void json(response, {}, 404);
    await serveMcp(request, response);
  };
  const serveMcp = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization = '' } = request.headers;
    seen.authorizations.push(authorization);
    const scope = await scopeOf(authorization.replace(/^Bearer /, ''));
    const asked = JSON.parse((await bodyOf(request)) || '{}') as Asked;
    const meta = `resource_metadata="${mcp.origin}/.well-known/oauth-protected-resource/mcp"`;
    if (scope === null) {
      seen.tokensRefused += 1;
      return void json(response, {}, 401, { 'www-authenticate': `Bearer ${meta}, scope="tools:read"` });
    }
    if (asked.params?.name === 'change' && !scope.includes('tools:write'))
      return void json(response, {}, 403, {
        'www-authenticate': `Bearer error="insufficient_scope", scope="tools:write", ${meta}`,
      });
    reply(response, asked, authorization);
  };
  const mcp = await listen((request, response) => void answer(request, response));
  const url = `${mcp.origin}/mcp`;
  issuer = await openAuthorisationServer(url, () => hostile.issuer);
  const home = mkdtempSync(path.join(tmpdir(), 'patina-sign-in-'));
  const entry = { url, ...(oauth && { oauth }) };
  const { origin } = issuer;

  /** Another process of the same home: nothing is shared but the files. */
  const openClient = () => {
    const secrets = createFileSecrets({ home });
    const launch = {
      project: home,
      startBundledServer: () => {
        throw new Error('There is none here.');
      },
      startChild: createChildLinePort,
      env: {},
      secret: secrets.get,
    };
    const registry = () => parseRegistry(JSON.stringify({ mcpServers: { peer: entry } }), 'registry.json');
    const signIn = createSignIn({
      kind: 'cli',
      home,
      secrets,
      lock: {
        pid: process.pid,
        processAlive,
        now: Date.now,
        wait: () => new Promise((done) => setImmediate(done)),
      },
      addressOf: (name) => {
        const servers = registry();
        const found = servers.ok ? servers.value.get(name) : undefined;
        return found?.kind === 'http'
          ? httpAddress(found, launch)
          : err(appError('HOST', 'NOT_FOUND', 'None.'));
      },
      onChanged: () => tools.release(),
      ...more,
    });
    const tools = createTools({ ...launch, registry, authOf: signIn.authOf });
    const call = (tool: string) => tools.call(`mcp://peer.${tool}`, {}, new AbortController().signal);
    return { signIn, tools, call, secrets };
  };
  const close = (): void => {
    for (const server of [mcp.server, issuer?.server]) {
      server?.close();
      server?.closeAllConnections();
    }
    rmSync(home, { recursive: true, force: true });
  };
  return { url, issuer: origin, provider: issuer.provider, home, hostile, seen, openClient, close };
}

export type SignInWorld = Awaited<ReturnType<typeof openSignInWorld>>;

/** A browser: keeps cookies, follows redirects, and returns the addresses it went through. */
export async function browse(page: string, stopAt: (url: URL) => boolean = () => false): Promise<string[]> {
  const cookies = new Map<string, string>();
  const visited: string[] = [];
  for (let at: string | null = page; at !== null && visited.length < 20;) {
    visited.push(at);
    if (stopAt(new URL(at))) break;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const asked = get(at, {
      headers: { cookie, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    for (const set of answer.headers['set-cookie'] ?? []) {
      const [pair = ''] = set.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    at = answer.headers.location === undefined ? null : new URL(answer.headers.location, at).href;
  }
  return visited;
}
