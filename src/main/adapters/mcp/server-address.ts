import { BlockList, isIP } from 'node:net';

/**
 * Addresses that never have an MCP server, but where cloud machines publish credentials and multicast
 * listens.
 */
const refused = new BlockList();
refused.addSubnet('169.254.0.0', 16);
refused.addSubnet('0.0.0.0', 8);
refused.addSubnet('224.0.0.0', 3);
refused.addAddress('100.100.100.200');
refused.addSubnet('fe80::', 10, 'ipv6');
refused.addSubnet('ff00::', 8, 'ipv6');
refused.addAddress('::', 'ipv6');
refused.addAddress('fd00:ec2::254', 'ipv6');

const METADATA_NAMES = new Set(['metadata.google.internal', 'metadata', 'instance-data']);

/**
 * Why Patina must not call a server's address, or null. Addresses of this machine or its network are the
 * user's choice; refuses link-local addresses (where clouds publish credentials), multicast, keys in the
 * address, and anything but HTTP. Numeric hosts in any notation are judged by the address they denote.
 */
export function addressProblem(text: string): string | null {
  if (!URL.canParse(text)) return 'is not an address';
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:')
    return `starts with ${protocol} instead of http: or https:`;
  if (username !== '' || password !== '')
    return 'contains a name or password; put it into a header as a secret';
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const family = isIP(host);
  const bad = family === 0 ? METADATA_NAMES.has(host) : refused.check(host, family === 4 ? 'ipv4' : 'ipv6');
  return bad ? `points to ${host}, which is not allowed` : null;
}
