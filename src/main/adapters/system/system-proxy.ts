import { isLoopback } from '#shared/loopback';
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
 * A fetch whose requests go the way that the system's settings name. It asks before each request, names no more than
 * the origin, and connects directly where there is no answer. This computer is always reached directly.
 */
export function systemProxyFetch(resolve: ResolveProxy, direct: Fetch = globalThis.fetch): Fetch {
  return async (input, init) => {
    const { hostname, origin } = addressOf(input);
    if (isLoopback(hostname)) return direct(input, init);
    const answer = await orStopped(
      resolve(`${origin}/`).catch(() => 'DIRECT'),
      init?.signal,
    );
    const proxy = proxyIn(answer);
    if (proxy === null) return direct(input, init);
    const through = await proxiedFetch({ http: proxy, https: proxy, except: '' });
    return through(input, init);
  };
}

/** The fetch of the app where nothing else names a proxy; undefined on the command line or with a variable for it. */
export function fetchFor({
  resolveProxy,
  env,
}: {
  readonly resolveProxy?: ResolveProxy;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Fetch | undefined {
  return resolveProxy && proxiesOf('', env) === null ? systemProxyFetch(resolveProxy) : undefined;
}
