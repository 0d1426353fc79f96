type Fetch = typeof globalThis.fetch;

/** The proxies of requests by the scheme of their address; an empty text is none. */
export interface Proxies {
  readonly http: string;
  readonly https: string;
  /** Hosts that need no proxy, as `NO_PROXY` lists them. */
  readonly except: string;
}

/** One connection pool for each set of proxies; the process ends with it. */
const proxied = new Map<string, Promise<Fetch>>();

/** A fetch whose requests all tunnel through these proxies; loaded when it is needed. */
export function proxiedFetch(proxies: Proxies): Promise<Fetch> {
  const key = JSON.stringify([proxies.http, proxies.https, proxies.except]);
  const known = proxied.get(key) ?? connectProxies(proxies);
  proxied.set(key, known);
  return known;
}

async function connectProxies({ http, https, except }: Proxies): Promise<Fetch> {
  const { fetch, EnvHttpProxyAgent } = await import('undici');
  const dispatcher = new EnvHttpProxyAgent({ httpProxy: http, httpsProxy: https, noProxy: except });
  // Both follow one standard; only the nominal types of the package and of Node differ.
  return ((input, init) =>
    fetch(input as never, { ...(init as object), dispatcher })) as typeof globalThis.fetch;
}

/**
 * The proxies of a process: `own` for every address, otherwise those of `HTTPS_PROXY` and `HTTP_PROXY`; `NO_PROXY`
 * names the exceptions of both. Small letters come first, as in curl. Null: no proxy. Pure.
 */
export function proxiesOf(own: string, env: Readonly<Record<string, string | undefined>>): Proxies | null {
  const read = (name: string): string => (env[name.toLowerCase()] ?? env[name] ?? '').trim();
  const chosen = own.trim();
  const http = chosen || read('HTTP_PROXY');
  const https = chosen || read('HTTPS_PROXY');
  return http === '' && https === '' ? null : { http, https, except: read('NO_PROXY') };
}
