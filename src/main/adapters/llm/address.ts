import { appError } from '#shared/app-error';
import { isLoopback } from '#shared/loopback';
import { err, ok, type Result } from '#shared/result';

/** A usable base URL: normalized, without a trailing slash. */
export interface Address {
  readonly baseUrl: string;
  readonly origin: string;
  readonly host: string;
  readonly loopback: boolean;
  /** Why sending a key there is risky, in one plain sentence. */
  readonly warning?: string;
}

const example = 'It looks like http://127.0.0.1:11434/v1 or https://api.example.com/v1.';

/**
 * Parses a provider's base URL. Allows only http and https; no credentials, query or fragment, because those
 * may contain a key that would then appear wherever the address does. Errors: CONFIG/INVALID, which never
 * repeat the refused text.
 */
export function readAddress(text: string): Result<Address> {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  if (url === null) return refuse('The base URL is not a web address.', example);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return refuse('The base URL must start with http:// or https://.', example);
  }
  if (url.username !== '' || url.password !== '') {
    return refuse(
      'The base URL contains a user name or password.',
      'Remove it and enter the key in its own field.',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    return refuse('The base URL must end before "?" and "#".', example);
  }
  return ok(addressOf(url));
}

function addressOf(url: URL): Address {
  const loopback = isLoopback(url.hostname);
  const open = url.protocol === 'http:' && !loopback;
  return {
    baseUrl: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    origin: url.origin,
    host: url.host,
    loopback,
    ...(open
      ? {
          warning: `Messages and keys travel unencrypted to ${url.host}; use https:// if the server supports it.`,
        }
      : {}),
  };
}

/** Whether two base URLs lead to the same place; all names of loopback are equal. */
export function sameAddress(a: string, b: string): boolean {
  const [first, second] = [readAddress(a), readAddress(b)];
  return first.ok && second.ok && canonical(first.value) === canonical(second.value);
}

/** Whether two base URLs have one origin: keys and headers belong to an origin. */
export function sameOrigin(a: string, b: string): boolean {
  const [first, second] = [readAddress(a), readAddress(b)];
  return first.ok && second.ok && first.value.origin === second.value.origin;
}

function canonical({ baseUrl, loopback }: Address): string {
  const url = new URL(baseUrl);
  return `${url.protocol}//${loopback ? 'loopback' : url.hostname}:${url.port}${url.pathname}`;
}

function refuse(message: string, hint: string): Result<never> {
  return err(appError('CONFIG', 'INVALID', message, { hint }));
}
