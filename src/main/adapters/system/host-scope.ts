import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { bareHost, isLoopback } from '#shared/loopback';

/** How near an address is: this machine, its network, or the internet. */
export type HostScope = 'loopback' | 'private' | 'public';

/** Resolves a host name to its addresses. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

export const resolveHost: ResolveHost = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

const local = new BlockList();
local.addSubnet('10.0.0.0', 8);
local.addSubnet('100.64.0.0', 10);
local.addSubnet('172.16.0.0', 12);
local.addSubnet('192.168.0.0', 16);
local.addSubnet('169.254.0.0', 16);
local.addSubnet('198.18.0.0', 15);
local.addSubnet('0.0.0.0', 8);
local.addSubnet('192.0.0.0', 24);
// Multicast, and what follows it.
local.addSubnet('224.0.0.0', 3);
local.addSubnet('fc00::', 7, 'ipv6');
local.addSubnet('fe80::', 10, 'ipv6');
local.addSubnet('fec0::', 10, 'ipv6');
local.addSubnet('ff00::', 8, 'ipv6');
local.addAddress('::', 'ipv6');

/** Addresses of the IPv4 internet in an IPv6 network; the last 32 bits are the address. */
const translated = new BlockList();
translated.addSubnet('64:ff9b::', 96, 'ipv6');

/** The IPv4 address at the end of a translated one. */
function ipv4Within(address: string): string {
  // The URL parser writes every address in the same short form, without dots.
  const groups = new URL(`http://[${address}]`).hostname.replace(']', '').split(':');
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function scopeOfAddress(address: string): HostScope {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (translated.check(address, family)) return scopeOfAddress(ipv4Within(address));
  if (isLoopback(address)) return 'loopback';
  return local.check(address, family) ? 'private' : 'public';
}

/** From the nearest to the farthest. */
export const scopes: readonly HostScope[] = ['loopback', 'private', 'public'];

/** The nearest address of a host: an attacker needs only one of them. */
export async function scopeOf(host: string, resolve: ResolveHost): Promise<HostScope> {
  const name = bareHost(host);
  if (isLoopback(name)) return 'loopback';
  const addresses = isAddress(name) ? [name] : await resolve(name);
  const found = addresses.map(scopeOfAddress);
  return scopes.find((scope) => found.includes(scope)) ?? 'public';
}

/** Whether the host of a URL is an address, which needs no lookup. */
export const isAddress = (host: string): boolean => isIP(bareHost(host)) !== 0;

/** The code of the error with which `publicLookup` refuses a name. */
export const notPublicCode = 'NOT_PUBLIC';

/** The addresses of a name; rejects for a name that leads to this machine or its network. */
export async function publicAddresses(hostname: string, resolve: ResolveHost): Promise<readonly string[]> {
  const addresses = await resolve(hostname);
  const hidden = !isLoopback(hostname) && addresses.some((one) => scopeOfAddress(one) !== 'public');
  if (hidden) throw Object.assign(new Error(`${hostname} is not public`), { code: notPublicCode });
  return addresses;
}

/**
 * Looks names up for connections, so that the checked address is the one that is connected to. Refuses a name that
 * leads to this machine or its network, except `localhost`, which says so itself. Addresses need no lookup.
 */
export const publicLookup =
  (resolve: ResolveHost): LookupFunction =>
  (hostname, options, done) => {
    const answer = async (): Promise<void> => {
      const addresses = await publicAddresses(hostname, resolve);
      const found = addresses.map((address) => ({ address, family: isIP(address) }));
      const [first] = found;
      if (options.all) done(null, found);
      else done(first ? null : new Error(`${hostname} has no address`), first?.address ?? '', first?.family);
    };
    answer().catch((error: unknown) => done(error as NodeJS.ErrnoException, ''));
  };
