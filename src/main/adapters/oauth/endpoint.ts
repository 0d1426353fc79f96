import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { addressProblem } from '../mcp/server-address';

/** How near an address is: this machine, its network, or the internet. */
type HostScope = 'loopback' | 'private' | 'public';

/** Resolves a host name to its addresses. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

export const resolveHost: ResolveHost = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

const local = new BlockList();
local.addSubnet('10.0.0.0', 8);
local.addSubnet('100.64.0.0', 10);
local.addSubnet('172.16.0.0', 12);
local.addSubnet('192.168.0.0', 16);
local.addSubnet('169.254.0.0', 16);
local.addSubnet('198.18.0.0', 15);
local.addSubnet('0.0.0.0', 8);
local.addSubnet('fc00::', 7, 'ipv6');
local.addSubnet('fe80::', 10, 'ipv6');
local.addAddress('::', 'ipv6');

const bare = (host: string): string => host.replace(/^\[|\]$/g, '').replace(/\.$/, '');

function reachOfAddress(address: string): HostScope {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (loopback.check(address, family)) return 'loopback';
  return local.check(address, family) ? 'private' : 'public';
}

/** Whether a host is this machine by its name alone, without a query. */
export function isLoopbackHost(host: string): boolean {
  const name = bare(host);
  if (isIP(name) !== 0) return reachOfAddress(name) === 'loopback';
  return name === 'localhost' || name.endsWith('.localhost');
}

const order: readonly HostScope[] = ['loopback', 'private', 'public'];

/** The nearest address of a host: an attacker needs only one of them. */
async function reachOf(host: string, resolve: ResolveHost): Promise<HostScope> {
  const name = bare(host);
  if (isLoopbackHost(name)) return 'loopback';
  const addresses = isIP(name) === 0 ? await resolve(name) : [name];
  const reaches = addresses.map(reachOfAddress);
  return order.find((reach) => reaches.includes(reach)) ?? 'public';
}

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
  if (isLoopbackHost(hostname) && isLoopbackHost(server.hostname)) return null;
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
  if (bare(hostname) === bare(server.hostname)) return null;
  const [target, from] = await Promise.all([reachOf(hostname, resolve), reachOf(server.hostname, resolve)]);
  return order.indexOf(target) < order.indexOf(from)
    ? `${host} is an address of this machine or its network, but the server is not`
    : null;
}
