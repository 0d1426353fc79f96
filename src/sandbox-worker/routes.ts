import type { Socket } from 'node:dgram';
import type { RouteProbe } from '#shared/sandbox-protocol';
import { isDenial } from './denied';
import type { RawProcess } from './lockdown';

type Attempt = () => unknown;

export interface Routes {
  /** Tries every route once; an open route reports `denied: false` and its outcome. */
  probe(): Promise<RouteProbe[]>;
}

/**
 * A port that is almost never in use and a path that does not exist: an open route fails there harmlessly,
 * with its own error.
 */
const NOBODY = { host: '127.0.0.1', port: 65_000 };
const NOWHERE = '/nonexistent/patina-probe';

/**
 * Captures every route out while all are open, as hostile code would, so that the probe after the lockdown
 * tests captured functions and not only those that can still be looked up.
 */
export function captureRoutes(): Routes {
  const attempts = [...networkAttempts(), ...fileAttempts(), ...codeAttempts(), ...electronAttempts()];
  return {
    async probe() {
      const probes: RouteProbe[] = [];
      for (const [route, attempt] of attempts) probes.push(await tryRoute(route, attempt));
      return probes;
    },
  };
}

/** Tries one route; a failure that does not come from the lockdown means that the route was open. */
export async function tryRoute(route: string, attempt: Attempt): Promise<RouteProbe> {
  try {
    await outcomeOf(attempt());
    return { route, denied: false, detail: 'worked' };
  } catch (thrown) {
    const detail = thrown instanceof Error ? thrown.message : typeof thrown;
    return { route, denied: isDenial(thrown), detail: detail.slice(0, 200) };
  }
}

interface Emitter {
  on(event: string, listener: (thrown: unknown) => void): unknown;
}

/** Sockets, processes and servers report by event; one without an event within a second counts as open. */
async function outcomeOf(opened: unknown): Promise<void> {
  const emitter = (await opened) as Emitter | undefined;
  if (typeof emitter?.on !== 'function') return;
  await new Promise<void>((resolve, reject) => {
    emitter.on('error', reject);
    for (const event of ['connect', 'listening', 'response', 'spawn', 'open'])
      emitter.on(event, () => resolve());
    setTimeout(resolve, 1_000);
  });
}

function networkAttempts(): [string, Attempt][] {
  const builtin = process.getBuiltinModule.bind(process);
  const [net, tls, http, https] = [builtin('net'), builtin('tls'), builtin('http'), builtin('https')];
  const [http2, dgram, dns] = [builtin('http2'), builtin('dgram'), builtin('dns')];
  const socket = new net.Socket();
  const connect = socket.connect.bind(socket);
  return [
    ['net.connect', () => net.connect(NOBODY)],
    ['net.Socket.connect', () => connect(NOBODY)],
    ['net.createServer', () => net.createServer().listen(0, '127.0.0.1').unref()],
    ['unix socket', () => net.connect(NOWHERE)],
    ['tls.connect', () => tls.connect(NOBODY)],
    ['http.request', () => http.get('http://127.0.0.1:65000/')],
    ['https.request', () => https.get('https://127.0.0.1:65000/')],
    ['http2.connect', () => http2.connect('http://127.0.0.1:65000/')],
    ['dgram.send', () => sendDatagram(dgram.createSocket('udp4'))],
    ['dns.lookup', () => dns.promises.lookup('localhost')],
    ['dns.resolve', () => dns.promises.resolve('localhost')],
    // Looked up at probe time: a captured function would load Node's entire HTTP client only to reach the
    // same closed socket.
    ['fetch', () => globalThis.fetch('http://127.0.0.1:65000/')],
  ];
}

function sendDatagram(socket: Socket): Socket {
  socket.unref().send('x', NOBODY.port, NOBODY.host, () => socket.emit('open'));
  return socket;
}

function fileAttempts(): [string, Attempt][] {
  const fs = process.getBuiltinModule('fs');
  const { readFileSync, writeFileSync, readdirSync, openSync } = fs;
  const { readFile } = fs.promises;
  return [
    ['fs.readFileSync', () => readFileSync('.')],
    ['fs.writeFileSync', () => writeFileSync(NOWHERE, '')],
    ['fs.readdirSync', () => readdirSync('.')],
    ['fs.openSync', () => openSync('.', 'r')],
    ['fs.promises.readFile', () => readFile('.')],
    ['fs.createReadStream', () => fs.createReadStream(NOWHERE)],
    ['fs.watch', () => fs.watch('.').unref()],
  ];
}

function codeAttempts(): [string, Attempt][] {
  const raw = process as RawProcess & typeof process;
  const builtin = raw.getBuiltinModule.bind(raw);
  const [children, threads, vm, inspector] = [
    builtin('child_process'),
    builtin('worker_threads'),
    builtin('vm'),
    builtin('inspector'),
  ];
  const require = builtin('module').createRequire(import.meta.url);
  const { spawn, execFileSync } = children;
  const kill = raw.kill.bind(raw);
  const run = Reflect.get(globalThis, 'eval') as (code: string) => unknown;
  const AsyncFunction = Reflect.get(async () => undefined, 'constructor') as new (code: string) => unknown;
  return [
    ['child_process.spawn', () => spawn(NOWHERE)],
    ['child_process.execFileSync', () => execFileSync(NOWHERE)],
    ['worker_threads.Worker', () => new threads.Worker(NOWHERE)],
    ['vm.runInNewContext', () => void vm.runInNewContext('1')],
    ['inspector.open', () => new inspector.Session()],
    ['import()', async () => (await import('node:fs')).readdirSync('.')],
    ['require', () => (require('node:fs') as typeof import('node:fs')).readdirSync('.')],
    ['eval', () => run('1')],
    ['AsyncFunction', () => new AsyncFunction('')],
    ['process.binding', () => raw.binding?.('fs')],
    ['process.kill', () => kill(raw.pid, 0)],
    ['process.dlopen', () => raw.dlopen({ exports: {} }, NOWHERE)],
    ['process.env', () => expectEmpty(raw.env)],
  ];
}

function expectEmpty(env: NodeJS.ProcessEnv): void {
  if (Object.keys(env).length === 0) deniedByAbsence();
}

function deniedByAbsence(): never {
  throw new EvalError('nothing to read');
}

type ElectronNet = Readonly<Record<'fetch' | 'request' | 'resolveHost', (target: string) => unknown>>;

/**
 * Electron's network goes through the browser process, past every limit of this one. Its functions keep the
 * native binding they were created with, so nothing may touch `electron.net` before the lockdown; only the
 * module itself is captured.
 */
function electronAttempts(): [string, Attempt][] {
  if (process.versions.electron === undefined) return [];
  const require = process.getBuiltinModule('module').createRequire(import.meta.url);
  const electron = require('electron') as { readonly net: ElectronNet };
  return [
    ['electron.net.fetch', () => electron.net.fetch('http://127.0.0.1:65000/')],
    ['electron.net.request', () => ended(electron.net.request('http://127.0.0.1:65000/'))],
    ['electron.net.resolveHost', () => electron.net.resolveHost('localhost')],
  ];
}

function ended(request: unknown): unknown {
  (request as { end?: () => void } | undefined)?.end?.();
  return request;
}
