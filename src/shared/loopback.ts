/** A host without the brackets of an IPv6 address and the dot of a full name. */
export const bareHost = (host: string): string => host.replace(/^\[|\]$/g, '').replace(/\.$/, '');

const addresses = /^((::ffff:)?127\.\d+\.\d+\.\d+|::ffff:7f[\da-f]{2}:[\da-f]{1,4}|::1)$/;

/**
 * Whether a host means this computer by its name or address alone. Takes the host name of a URL, or an address in its
 * short form.
 */
export function isLoopback(host: string): boolean {
  const name = bareHost(host);
  return name === 'localhost' || name.endsWith('.localhost') || addresses.test(name);
}
