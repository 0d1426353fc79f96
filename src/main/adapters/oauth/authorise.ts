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
import { err, ok, type Result } from '#shared/result';
import type { SignInOffer } from '#shared/servers';
import type { SignInBrowser } from '../../../core/ports/server-sign-in';
import type { HttpAddress } from '../mcp/registry-references';
import type { ResolveHost } from '../system/host-scope';
import { discoverSignIn, type Challenge, type SignInPlan } from './discover';
import { openReceiver, type LoopbackReceiver } from './loopback-receiver';
import { refusal } from './refusal';
import { signInFailure } from './sign-in-failure';
import { scopesIn, type SignInRecord } from './sign-in-store';
import { checkTokens, type Tokens } from './token-source';

/** A sign-in that was found and not carried out yet. */
export interface Pending {
  readonly offer: SignInOffer;
  readonly plan: SignInPlan;
  readonly address: HttpAddress;
}

const CLIENT_NAME = 'Patina';

const cancelled = (server: string): AppError =>
  appError('HOST', 'CANCELLED', `The sign-in to "${server}" was cancelled.`);

const tooLate = (server: string): AppError =>
  appError('HOST', 'CANCELLED', `Nobody signed in to "${server}" within ten minutes.`, {
    hint: 'Sign in again.',
  });

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

interface Finding {
  readonly server: string;
  readonly address: HttpAddress;
  readonly before: SignInRecord | null;
  /** What the server said when it refused a call. */
  readonly challenge: Challenge | undefined;
  /** Asks the server itself. */
  readonly fetch: FetchLike;
  /** Asks everyone else: see `createGuardedFetch`. */
  readonly guarded: FetchLike;
  readonly resolve: ResolveHost;
}

/** Finds out where to sign in; opens nothing and registers nothing. */
export async function findSignIn(finding: Finding): Promise<Result<Pending>> {
  try {
    return await find(finding);
  } catch (error) {
    return err(signInFailure(error, finding.server));
  }
}

async function find(finding: Finding): Promise<Result<Pending>> {
  const { server, address, before, challenge: known } = finding;
  const challenged = await askServer(address, finding.fetch);
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
  const { guarded: fetch, resolve } = finding;
  const plan = await discoverSignIn(new URL(address.url), wanted, { fetch, resolve });
  const offer: SignInOffer = {
    server,
    serverHost: new URL(address.url).host,
    host: new URL(plan.metadata.authorization_endpoint).host,
    scopes: scopesIn(plan.scope),
  };
  return ok({ offer, plan, address });
}

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

/** Carries out a sign-in that was found, until its signal aborts or ten minutes have passed. */
export async function authorise(fetch: FetchLike, authorising: Authorising): Promise<Result<SignInRecord>> {
  const { server } = authorising.offer;
  try {
    return ok(await fetchTokens(fetch, authorising));
  } catch (error) {
    if (authorising.signal.aborted) return err(cancelled(server));
    const isLate = error instanceof Error && error.message === 'late';
    return err(isLate ? tooLate(server) : signInFailure(error, server));
  }
}

/** The authorisation code flow with PKCE: registers, opens the browser, waits for its return, fetches tokens. */
async function fetchTokens(fetch: FetchLike, authorising: Authorising): Promise<SignInRecord> {
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
export async function revoke({ metadata, client, tokens }: SignInRecord, fetch: FetchLike): Promise<void> {
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
