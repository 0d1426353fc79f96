import { isLoopback } from '#shared/loopback';
import { resolveHost, type ResolveHost } from './host-scope';
import { proxiedFetch, proxiesOf } from './proxied-fetch';

type Fetch = typeof globalThis.fetch;

/** Asks the system how an address is reached; the answer is that of a proxy script, such as `PROXY a.example:3128`. */
export type ResolveProxy = (address: string) => Promise<string>;

const schemes: Readonly<Record<string, string>> = { PROXY: 'http', HTTP: 'http', HTTPS: 'https' };

/** The address of the first way in an answer that can be used; null: connect directly. SOCKS is left out. Pure. */
export function proxyIn(answer: string): string | null {
  for (const way of answer.split(';')) {
    const [kind = '', host = ''] = way.trim().split(/\s+/);
    if (kind.toUpperCase() === 'DIRECT') return null;
    const scheme = schemes[kind.toUpperCase()];
    if (scheme !== undefined && URL.canParse(`${scheme}://${host}`)) return `${scheme}://${host}`;
  }
  return null;
}

const addressOf = (input: Parameters<Fetch>[0]): URL =>
  new URL(typeof input === 'object' && 'url' in input ? input.url : input);

/** Settles like the promise, or rejects once the signal stops. */
function orStopped<T>(promise: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/**
 * The proxy that the system names for an address, or null to connect directly, as where there is no answer. Names no
 * more than the origin. This computer is always reached directly.
 */
export async function findProxy(
  resolve: ResolveProxy,
  { hostname, origin }: URL,
  signal?: AbortSignal | null,
): Promise<string | null> {
  if (isLoopback(hostname)) return null;
  const answer = resolve(`${origin}/`).catch(() => 'DIRECT');
  return proxyIn(await orStopped(answer, signal));
}

interface Ways {
  readonly direct?: Fetch;
  /** Rejects to refuse an address before a proxy is asked for it. */
  readonly beforeProxy?: (address: URL) => Promise<void>;
}

/** A fetch whose requests go the way that the system's settings name. It asks before each request. */
export function systemProxyFetch(
  resolve: ResolveProxy,
  { direct = globalThis.fetch, beforeProxy }: Ways = {},
): Fetch {
  return async (input, init) => {
    const address = addressOf(input);
    const proxy = await findProxy(resolve, address, init?.signal);
    if (proxy === null) return direct(input, init);
    await beforeProxy?.(address);
    const through = await proxiedFetch({ http: proxy, https: proxy, except: '' });
    return through(input, init);
  };
}

export interface ProxyHost {
  readonly resolveProxy?: ResolveProxy;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How the app asks the system; undefined on the command line or with a variable that names a proxy. */
export const systemProxyOf = ({ resolveProxy, env }: ProxyHost): ResolveProxy | undefined =>
  proxiesOf('', env) === null ? resolveProxy : undefined;

/** The fetch of the app where nothing else names a proxy; undefined where the system is not asked. */
export function fetchFor(host: ProxyHost): Fetch | undefined {
  const resolveProxy = systemProxyOf(host);
  return resolveProxy && systemProxyFetch(resolveProxy);
}

/** Resolves names of the internet. A name that only the system's proxy can resolve has no address here. */
export function resolverFor(host: ProxyHost, resolve: ResolveHost = resolveHost): ResolveHost {
  const resolveProxy = systemProxyOf(host);
  if (!resolveProxy) return resolve;
  return (name) =>
    resolve(name).catch(async (error: unknown) => {
      if ((await findProxy(resolveProxy, new URL(`https://${name}/`))) === null) throw error;
      return [];
    });
}
