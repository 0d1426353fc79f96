import { appError, type AppError } from '#shared/app-error';
import { readLink } from '#shared/markdown/links';
import { err, ok, type Result } from '#shared/result';
import {
  isAddress,
  notPublicCode,
  publicAddresses,
  publicLookup,
  resolveHost,
  type ResolveHost,
} from '../system/host-scope';
import { resolverFor, systemProxyFetch, type ResolveProxy } from '../system/system-proxy';

const timeoutMs = 15_000;
export const maxPictureBytes = 8_000_000;
const maxRedirects = 3;

const failed = (message: string, hint?: string): AppError =>
  appError('HOST', 'NOT_FOUND', message, { retryable: true, ...(hint !== undefined && { hint }) });

export interface PictureDeps {
  readonly fetch?: typeof globalThis.fetch;
  readonly timeoutMs?: number;
  readonly resolve?: ResolveHost;
  /** Asks the system for its proxy; without it, requests are direct. */
  readonly resolveProxy?: ResolveProxy | undefined;
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

/** A fetch whose connections lead nowhere that the host's name hides. Loaded when the first picture is wanted. */
function publicFetch(resolve: ResolveHost): typeof globalThis.fetch {
  const connect = async () => {
    const { fetch, Agent } = await import('undici');
    // Without pipelining a connection ends with its request.
    const dispatcher = new Agent({ connect: { lookup: publicLookup(resolve) }, pipelining: 0 });
    // Both follow one standard; only the nominal types of the package and of Node differ.
    return ((input, init) =>
      fetch(input as never, { ...(init as object), dispatcher })) as typeof globalThis.fetch;
  };
  let loaded: ReturnType<typeof connect> | undefined;
  return async (input, init) => (await (loaded ??= connect()))(input, init);
}

/** Does the same through the proxy of the system. It resolves the name once more, so only names that are known here are checked. */
function publicFetchBehind(resolve: ResolveHost, resolveProxy: ResolveProxy): typeof globalThis.fetch {
  const known = resolverFor({ resolveProxy, env: {} }, resolve);
  return systemProxyFetch(resolveProxy, {
    direct: publicFetch(resolve),
    async beforeProxy({ hostname }) {
      if (!isAddress(hostname)) await publicAddresses(hostname, known);
    },
  });
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;

/** Why a request failed, as far as the user can do something about it. */
function failureOf(error: unknown, { host }: URL): AppError {
  const codes = error instanceof Error ? [error, error.cause].map(codeOf) : [];
  return codes.includes(notPublicCode)
    ? failed(`${host} is an address of this computer or its network.`, openInstead)
    : failed(`${host} cannot be reached, or did not answer in time.`);
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
 * credentials, with a limit of time and size. The address that a name leads to is checked when the connection is made:
 * a public name that leads to this computer or its network is refused. HOST/INVALID_INPUT, HOST/NOT_FOUND.
 */
export function createPictureLoader({
  resolve = resolveHost,
  resolveProxy,
  fetch = resolveProxy ? publicFetchBehind(resolve, resolveProxy) : publicFetch(resolve),
  timeoutMs: limit = timeoutMs,
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
    } catch (error) {
      return err(failureOf(error, first));
    }
  };
}
