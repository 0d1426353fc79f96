import { isIP } from 'node:net';
import { appError, type AppError } from '#shared/app-error';
import { readLink } from '#shared/markdown/links';
import { err, ok, type Result } from '#shared/result';
import { bareHost, isLoopbackHost, resolveHost, scopeOf, type ResolveHost } from '../system/host-scope';

const timeoutMs = 15_000;
export const maxPictureBytes = 8_000_000;
const maxRedirects = 3;

const failed = (message: string, hint?: string): AppError =>
  appError('HOST', 'NOT_FOUND', message, { retryable: true, ...(hint !== undefined && { hint }) });

export interface PictureDeps {
  readonly fetch?: typeof globalThis.fetch;
  readonly timeoutMs?: number;
  readonly resolve?: ResolveHost;
}

async function boundedBytes({ body }: Response): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > maxPictureBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const openInstead = 'Open the address in your browser to see it.';

/** Where a redirect leads, if it stays on the host that the user saw. */
function redirectOf(response: Response, from: URL): Result<URL | null> {
  const target = response.headers.get('location');
  if (response.status < 300 || response.status >= 400 || target === null) return ok(null);
  const link = URL.canParse(target, from.href) ? readLink(new URL(target, from.href).href) : undefined;
  if (!link) return err(failed(`${from.host} redirects to an address that cannot be loaded.`));
  const to = new URL(link.url);
  const downgraded = from.protocol === 'https:' && to.protocol !== 'https:';
  if (to.host !== from.host || downgraded) {
    return err(failed(`${from.host} sends the request on to ${to.origin}.`, openInstead));
  }
  return ok(to);
}

/**
 * Whether a name leads to this computer or its network without showing it: such a picture could make the computer
 * ask its own services. Rejects when the name cannot be resolved.
 */
async function isHidden({ hostname }: URL, resolve: ResolveHost): Promise<boolean> {
  const shown = isIP(bareHost(hostname)) !== 0 || isLoopbackHost(hostname);
  return !shown && (await scopeOf(hostname, resolve)) !== 'public';
}

async function readAnswer(response: Response, { host }: URL): Promise<Result<Uint8Array>> {
  if (!response.ok) return err(failed(`${host} answered with status ${response.status}.`));
  const bytes = await boundedBytes(response);
  return bytes
    ? ok(bytes)
    : err(failed(`The picture is larger than ${maxPictureBytes / 1_000_000} MB.`, openInstead));
}

/**
 * Loads a picture whose host the user saw and agreed to: from that host and no other, without cookies, referrer or
 * credentials, with a limit of time and size. A public name that leads to this computer or its network is refused. HOST/INVALID_INPUT, HOST/NOT_FOUND.
 */
export function createPictureLoader({
  fetch = globalThis.fetch,
  timeoutMs: limit = timeoutMs,
  resolve = resolveHost,
}: PictureDeps = {}) {
  return async (address: string): Promise<Result<Uint8Array>> => {
    const link = readLink(address);
    const first = link && new URL(link.url);
    if (!first || first.username !== '' || first.password !== '') {
      return err(
        appError('HOST', 'INVALID_INPUT', 'Pictures are loaded from plain http and https addresses only.'),
      );
    }
    const signal = AbortSignal.timeout(limit);
    let url = first;
    try {
      if (await isHidden(first, resolve)) {
        return err(failed(`${first.host} is an address of this computer or its network.`, openInstead));
      }
      for (let hop = 0; hop <= maxRedirects; hop += 1) {
        const response = await fetch(url, {
          redirect: 'manual',
          credentials: 'omit',
          referrerPolicy: 'no-referrer',
          headers: { accept: 'image/*' },
          signal,
        });
        const next = redirectOf(response, url);
        if (!next.ok) return next;
        if (next.value === null) return await readAnswer(response, url);
        url = next.value;
      }
      return err(failed(`${first.host} redirects again and again.`));
    } catch {
      return err(failed(`${first.host} cannot be reached, or did not answer in time.`));
    }
  };
}
