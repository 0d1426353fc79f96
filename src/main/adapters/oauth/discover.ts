import {
  checkResourceAllowed,
  computeScopeUnion,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  IssuerMismatchError,
  resourceUrlFromServerUrl,
  type AuthorizationServerMetadata,
  type FetchLike,
  type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client';
import type { ResolveHost } from '../system/host-scope';
import { endpointFormProblem, endpointProblem } from './endpoint';
import { refusal } from './refusal';

/** What a server said when it refused a call. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
}

/** Where to sign in, checked and ready to be shown. */
export interface SignInPlan {
  readonly metadata: AuthorizationServerMetadata;
  /** The resource that the tokens will be for, as the server names itself. */
  readonly resource: string | undefined;
  readonly scope: string | undefined;
}

/** The same origin, or hosts of which one is a subdomain of the other. */
function sameParty(endpoint: URL, issuer: URL): boolean {
  if (endpoint.origin === issuer.origin) return true;
  const [a, b] = [endpoint.hostname, issuer.hostname];
  const related = a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
  return related && endpoint.protocol === issuer.protocol && endpoint.port === issuer.port;
}

const endpointsOf = (metadata: AuthorizationServerMetadata): readonly string[] =>
  [
    metadata.authorization_endpoint,
    metadata.token_endpoint,
    metadata.registration_endpoint,
    'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined,
  ].flatMap((endpoint) => (typeof endpoint === 'string' ? [endpoint] : []));

/**
 * Why the metadata of an authorisation server must not be used, or null. All endpoints belong to its issuer's
 * host, its subdomains or its parent domain: otherwise a code of one service could be sent to another.
 */
function metadataProblem(metadata: AuthorizationServerMetadata, server: URL): string | null {
  const issuer = endpointFormProblem(metadata.issuer, server);
  if (issuer !== null) return issuer;
  const { host, search } = new URL(metadata.issuer);
  if (search !== '') return `the issuer ${host} contains a query`;
  for (const endpoint of endpointsOf(metadata)) {
    const form = endpointFormProblem(endpoint, server);
    if (form !== null) return form;
    if (!sameParty(new URL(endpoint), new URL(metadata.issuer)))
      return `${host} announces an endpoint of another host, ${new URL(endpoint).host}`;
  }
  if (!metadata.response_types_supported.includes('code')) return `${host} offers no authorisation code`;
  if (!metadata.code_challenge_methods_supported?.includes('S256'))
    return `${host} does not protect the code with PKCE (S256)`;
  return null;
}

/** The server's own description; null when it has none, as servers of the first revision with sign-in. */
async function resourceMetadata(
  server: URL,
  { resourceMetadataUrl }: Challenge,
  fetch: FetchLike,
): Promise<OAuthProtectedResourceMetadata | null> {
  if (resourceMetadataUrl !== undefined && resourceMetadataUrl.origin !== server.origin)
    throw refusal(`the server describes itself on another host, ${resourceMetadataUrl.host}`);
  let status = 0;
  const noted: FetchLike = async (url, init) => {
    const response = await fetch(url, init);
    status = response.status;
    return response;
  };
  try {
    return await discoverOAuthProtectedResourceMetadata(
      server,
      resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl },
      noted,
    );
  } catch (error) {
    if (status >= 400 && status < 500 && resourceMetadataUrl === undefined) return null;
    if (status === 200) throw refusal('the server’s description of its sign-in is not valid');
    throw error;
  }
}

async function authorizationServer(address: string, fetch: FetchLike): Promise<AuthorizationServerMetadata> {
  const { host } = new URL(address);
  let status = 0;
  const noted: FetchLike = async (url, init) => {
    const response = await fetch(url, init);
    status = response.status;
    return response;
  };
  try {
    const metadata = await discoverAuthorizationServerMetadata(address, { fetchFn: noted });
    if (metadata !== undefined) return metadata;
  } catch (error) {
    if (error instanceof IssuerMismatchError) throw refusal(`${host} claims to be another issuer`);
    if (status === 200 && !(error instanceof TypeError))
      throw refusal(`the metadata of ${host} is not valid`);
    throw error;
  }
  throw refusal(`${host} does not say how to sign in`);
}

/** Adds the scope of refresh tokens where the authorisation server offers it. */
function withRefresh(scope: string | undefined, metadata: AuthorizationServerMetadata): string | undefined {
  if (scope === undefined || !metadata.scopes_supported?.includes('offline_access')) return scope;
  return computeScopeUnion(scope, 'offline_access');
}

interface Looking {
  readonly fetch: FetchLike;
  readonly resolve: ResolveHost;
}

/** The metadata of an authorisation server, with every address in it checked; rejects with a refusal. */
async function checkedIssuer(
  address: string,
  server: URL,
  { fetch, resolve }: Looking,
): Promise<AuthorizationServerMetadata> {
  const wrong = await endpointProblem(address, server, resolve);
  if (wrong !== null) throw refusal(wrong);
  const metadata = await authorizationServer(address, fetch);
  const problem = metadataProblem(metadata, server);
  if (problem !== null) throw refusal(problem);
  for (const endpoint of endpointsOf(metadata)) {
    const near = await endpointProblem(endpoint, server, resolve);
    if (near !== null) throw refusal(near);
  }
  return metadata;
}

/**
 * Finds out where to sign in to `server`, and checks everything it announces. Only reads; rejects with a
 * refusal, or with the error of the network.
 */
export async function discoverSignIn(
  server: URL,
  challenge: Challenge & { readonly ownScope?: string | undefined; readonly granted?: string | undefined },
  { fetch, resolve }: Looking,
): Promise<SignInPlan> {
  const described = await resourceMetadata(server, challenge, fetch);
  const own = resourceUrlFromServerUrl(server);
  if (described && !matches(own, described.resource))
    throw refusal(`the server describes another resource, ${described.resource.slice(0, 200)}`);
  const address = described?.authorization_servers?.[0] ?? new URL('/', server).href;
  const metadata = await checkedIssuer(address, server, { fetch, resolve });
  const scopes = challenge.ownScope ?? challenge.scope ?? described?.scopes_supported?.join(' ');
  const scope = scopes === '' ? undefined : scopes;
  return {
    metadata,
    resource: described?.resource,
    scope: withRefresh(computeScopeUnion(challenge.granted, scope), metadata),
  };
}

function matches(own: URL, resource: string): boolean {
  return (
    URL.canParse(resource) && checkResourceAllowed({ requestedResource: own, configuredResource: resource })
  );
}
