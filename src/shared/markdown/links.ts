/** An address that may be offered for opening, and the host that a browser would contact. */
export interface SafeLink {
  readonly url: string;
  readonly host: string;
}

const maxUrlLength = 4_000;

function hasControl(text: string): boolean {
  for (const char of text) if (char < ' ' || char === '\u007f') return true;
  return false;
}

/**
 * Reads an address written by a model or a tool. Only absolute http and https addresses are valid; all others
 * (`javascript:`, `data:`, `file:`, `smb:`, `mailto:`, relative and protocol-relative addresses) return
 * undefined and are shown as text.
 */
export function readLink(href: string): SafeLink | undefined {
  const trimmed = href.trim();
  if (trimmed.length > maxUrlLength || hasControl(trimmed) || !/^https?:\/\/[^/\\]/i.test(trimmed))
    return undefined;
  if (!URL.canParse(trimmed)) return undefined;
  const { protocol, host, href: url } = new URL(trimmed);
  if ((protocol !== 'http:' && protocol !== 'https:') || host === '') return undefined;
  return { url, host };
}

/** Whether a link may mislead: its text names another host, or its address has credentials or punycode. */
export function labelSpoofsHost(label: string, link: SafeLink): boolean {
  const { username, password } = new URL(link.url);
  if (username !== '' || password !== '' || link.host.includes('xn--')) return true;
  const named = /(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu;
  const hosts = label.slice(0, 2_000).toLowerCase().match(named) ?? [];
  const real = link.host.toLowerCase().replace(/:\d+$/, '');
  return (
    hosts.length > 0 &&
    !hosts.some((host) => real === host || real === `www.${host}` || `www.${real}` === host)
  );
}
