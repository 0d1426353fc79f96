import { randomBytes } from 'node:crypto';
import {
  computeScopeUnion,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  OAuthError,
  isStrictScopeSuperset,
  registerClient,
  selectClientAuthMethod,
  startAuthorization,
  validateAuthorizationResponseIssuer,
  type FetchLike,
} from '@modelcontextprotocol/client';
import { appError, type AppError } from '#shared/app-error';
import { isLoopback } from '#shared/loopback';
import { err, ok, type Result } from '#shared/result';
import type { SignInOffer, SignInState } from '#shared/servers';
import type { Secrets } from '../../../core/ports/secrets';
import type { ServerSignIn, SignInBrowser } from '../../../core/ports/server-sign-in';
import type { LockDeps } from '../system/write-lock';
import type { HttpAddress } from '../mcp/server-launch';
import { discoverSignIn, type Challenge, type SignInPlan } from './discover';
import { resolveHost, type ResolveHost } from '../system/host-scope';
import { createGuardedFetch } from './guarded-fetch';
import { openReceiver, type LoopbackReceiver } from './loopback-receiver';
import { refusal } from './refusal';
import { signInFailure } from './sign-in-failure';
import { createSignInStore, type SignInRecord } from './sign-in-store';
import {
  checkTokens,
  createTokenSource,
  whileNotRenewing,
  type Tokens,
  type TransportAuth,
} from './token-source';

export interface SignInDeps {
  readonly kind: 'app' | 'cli';
  readonly home: string;
  readonly secrets: Secrets;
  readonly lock: LockDeps;
  /** Where a server is, and with which headers it is asked; an error says why it takes no sign-in. */
  readonly addressOf: (server: string) => Result<HttpAddress>;
  readonly fetch?: FetchLike;
  readonly resolve?: ResolveHost;
  /** Called when a server has been signed in to or out of: its connections must restart. */
  readonly onChanged: () => Promise<void>;
}

interface Pending {
  readonly offer: SignInOffer;
  readonly plan: SignInPlan;
  readonly address: HttpAddress;
}

const CLIENT_NAME = 'Patina';

/** The permissions in a scope. */
const scopesIn = (scope: string | undefined): readonly string[] => (scope ?? '').split(/\s+/).filter(Boolean);

const cancelled = (server: string): AppError =>
  appError('HOST', 'CANCELLED', `The sign-in to "${server}" was cancelled.`);

/** Requests the server without a token, to read its sign-in requirements. */
async function askServer({ url, headers, older }: HttpAddress, fetch: FetchLike): Promise<Challenge | null> {
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'patina', version: '1' } },
  };
  const accept = older ? 'text/event-stream' : 'application/json, text/event-stream';
  const response = await fetch(url, {
    method: older ? 'GET' : 'POST',
    headers: { ...headers, accept, ...(!older && { 'content-type': 'application/json' }) },
    ...(!older && { body: JSON.stringify(hello) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(15_000),
  });
  await response.body?.cancel();
  return response.status === 401 ? extractWWWAuthenticateParams(response) : null;
}

/** Why tokens cannot be used at this address, or null. */
function unfit(server: string, { url, headers }: HttpAddress): AppError | null {
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    return appError('HOST', 'STATE', `Server "${server}" uses the key in its registry entry.`, {
      hint: 'Remove its "Authorization" header to sign in instead.',
    });
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isLoopback(hostname)) return null;
  return appError('CONFIG', 'INVALID', `Server "${server}" is called without encryption (http).`, {
    hint: 'A sign-in needs an https address.',
  });
}

/** The sign-ins of a process's MCP servers, and the tokens for their connections. */
export function createSignIn(deps: SignInDeps): ServerSignIn & {
  readonly authOf: (server: string, address: HttpAddress) => TransportAuth | undefined;
} {
  const { resolve = resolveHost } = deps;
  const store = createSignInStore(deps.secrets, deps.kind);
  const challenges = new Map<string, Challenge>();
  const offers = new Map<string, Pending>();
  const running = new Map<string, AbortController>();
  const guarded = (url: string): FetchLike =>
    createGuardedFetch({ server: new URL(url), resolve, ...(deps.fetch && { fetch: deps.fetch }) });

  const end = (server: string): void => {
    running.get(server)?.abort();
    running.delete(server);
  };

  return {
    authOf(server, address) {
      if (unfit(server, address) !== null) return undefined;
      return createTokenSource({
        server,
        url: address.url,
        store,
        home: deps.home,
        lock: deps.lock,
        fetch: guarded(address.url),
        onChallenge: (challenge) => {
          if (challenge === null) challenges.delete(server);
          else challenges.set(server, challenge);
        },
      });
    },
    state(server) {
      const address = deps.addressOf(server);
      const record = address.ok ? store.read(server, address.value.url) : null;
      return stateOf(record, challenges.get(server));
    },
    async offer(server) {
      const address = deps.addressOf(server);
      if (!address.ok) return address;
      const problem = unfit(server, address.value);
      if (problem !== null) return err(problem);
      try {
        const found = await discover(server, address.value);
        if (!found.ok) return found;
        offers.set(server, found.value);
        return ok(found.value.offer);
      } catch (error) {
        return err(signInFailure(error, server));
      }
    },
    async signIn(server, browser) {
      const pending = offers.get(server);
      if (pending?.offer.host !== browser.host)
        return err(appError('HOST', 'STATE', `Nobody was asked about signing in to "${server}" there.`));
      offers.delete(server);
      end(server);
      const controller = new AbortController();
      running.set(server, controller);
      try {
        const record = await authorise(guarded(pending.address.url), {
          ...pending,
          before: store.read(server, pending.address.url),
          browser,
          signal: controller.signal,
        });
        const written = await whileNotRenewing({ ...deps, server }, () => store.write(server, record));
        challenges.delete(server);
        await deps.onChanged();
        return written.ok ? ok(pending.offer) : written;
      } catch (error) {
        if (controller.signal.aborted) return err(cancelled(server));
        return err(
          error instanceof Error && error.message === 'late' ? tooLate(server) : signInFailure(error, server),
        );
      } finally {
        if (running.get(server) === controller) running.delete(server);
      }
    },
    cancel(server) {
      offers.delete(server);
      end(server);
    },
    async signOut(server) {
      end(server);
      const address = deps.addressOf(server);
      const { record, removed } = await whileNotRenewing({ ...deps, server }, () => ({
        record: address.ok ? store.read(server, address.value.url) : null,
        removed: store.remove(server),
      }));
      challenges.delete(server);
      if (record && address.ok) await revoke(record, guarded(address.value.url));
      await deps.onChanged();
      return removed;
    },
  };

  async function discover(server: string, address: HttpAddress): Promise<Result<Pending>> {
    const before = store.read(server, address.url);
    const known = challenges.get(server);
    const challenged = await askServer(address, deps.fetch ?? globalThis.fetch);
    const challenge =
      challenged === null
        ? known
        : { ...challenged, scope: computeScopeUnion(challenged.scope, known?.scope, before?.missing) };
    if (challenge === undefined)
      return err(
        appError('HOST', 'STATE', `Server "${server}" does not ask for a sign-in.`, {
          hint: 'It can be used as it is.',
        }),
      );
    const wanted = { ...challenge, ownScope: address.oauth?.scopes, granted: before?.tokens?.scope };
    const plan = await discoverSignIn(new URL(address.url), wanted, { fetch: guarded(address.url), resolve });
    const offer: SignInOffer = {
      server,
      serverHost: new URL(address.url).host,
      host: new URL(plan.metadata.authorization_endpoint).host,
      scopes: scopesIn(plan.scope),
    };
    return ok({ offer, plan, address });
  }
}

function stateOf(record: SignInRecord | null, challenge: Challenge | undefined): SignInState {
  const tokens = record?.tokens;
  const granted = new Set(scopesIn(tokens?.scope));
  const missing = tokens ? scopesIn(challenge?.scope).filter((scope) => !granted.has(scope)) : [];
  const state = challenge !== undefined ? 'needed' : tokens ? 'signed-in' : 'none';
  return { state, host: record && tokens ? new URL(record.metadata.issuer).host : '', missing };
}

const tooLate = (server: string): AppError =>
  appError('HOST', 'CANCELLED', `Nobody signed in to "${server}" within ten minutes.`, {
    hint: 'Sign in again.',
  });

interface Authorising extends Pending {
  readonly before: SignInRecord | null;
  readonly browser: SignInBrowser;
  readonly signal: AbortSignal;
}

type Client = SignInRecord['client'];

/** The way in which a client that Patina registers proves itself: none if possible, since it can keep no secret. */
function authMethod({ metadata }: SignInPlan): string {
  const offered = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return ['none', 'client_secret_basic', 'client_secret_post'].find((one) => offered.includes(one)) ?? 'none';
}

/** The client that the user set in the registry: an id, or the address of a document about it. */
function givenClient({ plan, address: { oauth } }: Authorising): Client | null {
  if (oauth?.clientId !== undefined)
    return {
      client_id: oauth.clientId,
      ...(oauth.clientSecret !== undefined && { client_secret: oauth.clientSecret }),
    };
  const takesDocuments = plan.metadata.client_id_metadata_document_supported === true;
  return oauth?.clientMetadataUrl !== undefined && takesDocuments
    ? { client_id: oauth.clientMetadataUrl }
    : null;
}

/** The client of an earlier sign-in, if it may ask for as much and return to the same address. */
function earlierClient({ plan, before }: Authorising, redirectUri: string): Client | null {
  if (before?.metadata.issuer !== plan.metadata.issuer) return null;
  const { client } = before;
  // Some authorisation servers grant a client nothing beyond what it was registered for.
  const covered = !isStrictScopeSuperset(plan.scope, client.scope);
  return covered && client.redirect_uris?.includes(redirectUri) === true ? client : null;
}

/** The client that Patina is to this authorisation server: set by the user, known, or registered now. */
async function clientFor(authorising: Authorising, redirectUri: string, fetch: FetchLike): Promise<Client> {
  const { plan } = authorising;
  const { metadata, scope } = plan;
  const own = givenClient(authorising) ?? earlierClient(authorising, redirectUri);
  if (own) return own;
  if (metadata.registration_endpoint === undefined)
    throw refusal('the authorisation server lets no new client in; set "oauth": {"clientId": …} for it');
  const { client_id, client_secret, token_endpoint_auth_method } = await registerClient(metadata.issuer, {
    metadata,
    fetchFn: fetch,
    ...(scope !== undefined && { scope }),
    clientMetadata: {
      client_name: CLIENT_NAME,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: authMethod(plan),
      application_type: 'native',
    },
  });
  return {
    client_id,
    redirect_uris: [redirectUri],
    scope,
    ...(client_secret !== undefined && { client_secret }),
    ...(token_endpoint_auth_method !== undefined && { token_endpoint_auth_method }),
  };
}

/** The ports that earlier registrations of this client named. */
function portsOf({ before, address }: Authorising): readonly number[] {
  if (address.oauth?.redirectPort !== undefined) return [address.oauth.redirectPort];
  return (before?.client.redirect_uris ?? [])
    .map((uri) => Number(new URL(uri).port))
    .filter((port) => port > 0);
}

/** The authorisation code flow with PKCE: registers, opens the browser, waits for its return, fetches tokens. */
async function authorise(fetch: FetchLike, authorising: Authorising): Promise<SignInRecord> {
  const { plan, signal, browser, address } = authorising;
  const state = randomBytes(32).toString('base64url');
  const receiver = await openReceiver({ state, ports: portsOf(authorising) });
  try {
    const client = await clientFor(authorising, receiver.redirectUri, fetch);
    const { metadata, resource, scope } = plan;
    const { authorizationUrl, codeVerifier } = await startAuthorization(metadata.issuer, {
      metadata,
      clientInformation: client,
      redirectUrl: receiver.redirectUri,
      state,
      ...(scope !== undefined && { scope }),
      ...(resource !== undefined && { resource }),
    });
    signal.throwIfAborted();
    await browser.open(authorizationUrl.href);
    if (browser.pasted) void takePasted(receiver, browser.pasted, signal);
    const { code, error, iss } = await receiver.callback(signal);
    validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    });
    if (code === null) throw new OAuthError(error ?? 'invalid_request', '');
    const tokens = await exchangeAuthorization(metadata.issuer, {
      metadata,
      clientInformation: client,
      authorizationCode: code,
      codeVerifier,
      redirectUri: receiver.redirectUri,
      fetchFn: fetch,
      ...(iss !== undefined && { iss }),
      ...(resource !== undefined && { resource }),
    });
    signal.throwIfAborted();
    return recordOf(address.url, plan, client, tokens);
  } finally {
    receiver.close();
  }
}

function recordOf(
  url: string,
  { metadata, resource, scope }: SignInPlan,
  client: Client,
  tokens: Tokens,
): SignInRecord {
  checkTokens(tokens);
  const { access_token, token_type, refresh_token, scope: granted = scope } = tokens;
  return {
    version: 1,
    server: url,
    resource,
    metadata: {
      issuer: metadata.issuer,
      authorization_endpoint: metadata.authorization_endpoint,
      token_endpoint: metadata.token_endpoint,
      revocation_endpoint:
        'revocation_endpoint' in metadata && typeof metadata.revocation_endpoint === 'string'
          ? metadata.revocation_endpoint
          : undefined,
      token_endpoint_auth_methods_supported: metadata.token_endpoint_auth_methods_supported,
      response_types_supported: metadata.response_types_supported,
    },
    client,
    tokens: { access_token, token_type, refresh_token, scope: granted },
  };
}

/** Takes pasted addresses until one is the callback of this sign-in, or none comes any more. */
async function takePasted(
  receiver: LoopbackReceiver,
  pasted: NonNullable<SignInBrowser['pasted']>,
  signal: AbortSignal,
): Promise<void> {
  for (let text = await pasted(signal); text !== null; text = await pasted(signal)) {
    if (receiver.paste(text.trim())) return;
  }
}

/** Revokes the tokens at the authorisation server; they are deleted here in any case. */
async function revoke({ metadata, client, tokens }: SignInRecord, fetch: FetchLike): Promise<void> {
  const { revocation_endpoint: endpoint } = metadata;
  const token = tokens?.refresh_token ?? tokens?.access_token;
  if (endpoint === undefined || token === undefined) return;
  const { client_id, client_secret = '' } = client;
  const method = selectClientAuthMethod(client, metadata.token_endpoint_auth_methods_supported ?? []);
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
  const body = new URLSearchParams({
    token,
    ...(method !== 'client_secret_basic' && { client_id }),
    ...(method === 'client_secret_post' && { client_secret }),
  });
  const headers = {
    accept: 'application/json',
    ...(method === 'client_secret_basic' && { authorization: `Basic ${basic}` }),
  };
  try {
    await fetch(endpoint, { method: 'POST', body, headers });
  } catch {
    // Not reachable or not willing: the tokens expire.
  }
}
