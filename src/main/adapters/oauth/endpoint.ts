import { bareHost, isLoopback } from '#shared/loopback';
import { addressProblem } from '../mcp/server-address';
import { scopeOf, scopes, type ResolveHost } from '../system/host-scope';

/**
 * Why an address must not be used to sign in to `server`, or null. Only the form of both is judged: encrypted,
 * unless both are this machine.
 */
export function endpointFormProblem(text: string, server: URL): string | null {
  const bad = addressProblem(text);
  if (bad !== null) return `an address of the sign-in ${bad}`;
  const { protocol, hostname, hash, host } = new URL(text);
  if (hash !== '') return `the address of ${host} has a fragment`;
  if (protocol === 'https:') return null;
  if (isLoopback(hostname) && isLoopback(server.hostname)) return null;
  return `${host} would be used without encryption (http)`;
}

/**
 * Does the same, and also asks where the host is: a server may not lead Patina or the browser closer to this
 * machine than the server itself is. Over https the certificate binds the name, so that an answer that
 * changes after this check gains nothing. Rejects when the name cannot be resolved.
 */
export async function endpointProblem(
  text: string,
  server: URL,
  resolve: ResolveHost,
): Promise<string | null> {
  const form = endpointFormProblem(text, server);
  if (form !== null) return form;
  const { hostname, host } = new URL(text);
  if (bareHost(hostname) === bareHost(server.hostname)) return null;
  const [target, from] = await Promise.all([scopeOf(hostname, resolve), scopeOf(server.hostname, resolve)]);
  return scopes.indexOf(target) < scopes.indexOf(from)
    ? `${host} is an address of this machine or its network, but the server is not`
    : null;
}
