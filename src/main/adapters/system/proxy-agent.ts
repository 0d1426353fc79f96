import type { Agent, ClientRequestArgs } from 'node:http';
import type { Socket } from 'node:net';
import { findProxy, systemProxyOf, type ProxyHost, type ResolveProxy } from './system-proxy';

/** Longer than this, no request waits for a proxy. */
const connectMs = 5_000;

/** A connection to `host:port` through an HTTP proxy. */
async function openTunnel(proxy: string, target: string, signal: AbortSignal): Promise<Socket> {
  const { request } = await (proxy.startsWith('https:') ? import('node:https') : import('node:http'));
  return new Promise((resolve, reject) => {
    const connecting = request(proxy, { method: 'CONNECT', path: target, headers: { host: target }, signal });
    connecting.once('error', reject);
    connecting.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`The proxy ${proxy} refused ${target} with status ${statusCode}.`));
    });
    connecting.end();
  });
}

/** An agent of `node:http` or `node:https` whose connections go the way that the system's settings name. */
async function createProxyAgent(resolveProxy: ResolveProxy, protocol: string): Promise<Agent> {
  const secure = protocol === 'https:';
  const { Agent: NewAgent } = await (secure ? import('node:https') : import('node:http'));
  const agent = new NewAgent();
  const connect = agent.createConnection.bind(agent);
  const open = async (options: ClientRequestArgs) => {
    const signal = AbortSignal.timeout(connectMs);
    const target = `${options.host}:${options.port}`;
    const proxy = await findProxy(resolveProxy, new URL(`${protocol}//${target}`), signal);
    if (proxy === null) return connect(options);
    const socket = await openTunnel(proxy, target, signal);
    return secure ? connect({ ...options, socket } as ClientRequestArgs) : socket;
  };
  agent.createConnection = (options, done) => {
    open(options).then(
      (socket) => socket && done?.(null, socket),
      (error: Error) => done?.(error, undefined as never),
    );
    return undefined;
  };
  return agent;
}

/** The agents of the app for requests that `fetch` does not make; undefined where the system is not asked. */
export function proxyAgentsFor(host: ProxyHost): ((protocol: string) => Promise<Agent>) | undefined {
  const resolveProxy = systemProxyOf(host);
  return resolveProxy && ((protocol) => createProxyAgent(resolveProxy, protocol));
}
