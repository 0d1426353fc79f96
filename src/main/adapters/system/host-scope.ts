import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** How near an address is: this machine, its network, or the internet. */
export type HostScope = 'loopback' | 'private' | 'public';

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

/** A host without the brackets of an IPv6 address and the dot of a full name. */
export const bareHost = (host: string): string => host.replace(/^\[|\]$/g, '').replace(/\.$/, '');

function scopeOfAddress(address: string): HostScope {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (loopback.check(address, family)) return 'loopback';
  return local.check(address, family) ? 'private' : 'public';
}

/** Whether a host is this machine by its name alone, without a query. */
export function isLoopbackHost(host: string): boolean {
  const name = bareHost(host);
  if (isIP(name) !== 0) return scopeOfAddress(name) === 'loopback';
  return name === 'localhost' || name.endsWith('.localhost');
}

/** From the nearest to the farthest. */
export const scopes: readonly HostScope[] = ['loopback', 'private', 'public'];

/** The nearest address of a host: an attacker needs only one of them. */
export async function scopeOf(host: string, resolve: ResolveHost): Promise<HostScope> {
  const name = bareHost(host);
  if (isLoopbackHost(name)) return 'loopback';
  const addresses = isIP(name) === 0 ? await resolve(name) : [name];
  const found = addresses.map(scopeOfAddress);
  return scopes.find((scope) => found.includes(scope)) ?? 'public';
}
