import { deny, refuse } from './denied';

/** Members that Node and Electron add to `process` without types. */
export interface RawProcess {
  binding?(name: string): object;
  _linkedBinding?(name: string): object;
}

/** Modules that are a route out or reveal facts about the machine; every function they export is replaced. */
const CLOSED_MODULES = [
  'child_process',
  'dgram',
  'dns',
  'dns/promises',
  'fs',
  'fs/promises',
  'http',
  'http2',
  'https',
  'inspector',
  'inspector/promises',
  'net',
  'os',
  'tls',
  'tty',
  'v8',
  'vm',
  'wasi',
  'worker_threads',
];

/** The native bindings, for functions that were captured from a module before its exports were replaced. */
const CLOSED_BINDINGS = ['cares_wrap', 'fs', 'fs_event_wrap', 'process_wrap', 'spawn_sync', 'tty_wrap'];
/** Only these methods: the port to main is itself a pipe and must continue to read and write. */
const CLOSED_METHODS: Readonly<Record<string, readonly string[]>> = {
  TCP: ['bind', 'bind6', 'connect', 'connect6', 'listen', 'open'],
  UDP: ['bind', 'bind6', 'connect', 'connect6', 'open', 'send', 'send6'],
  Pipe: ['bind', 'connect', 'listen', 'open'],
  Process: ['spawn'],
};
const CLOSED_PROCESS = [
  '_kill',
  '_linkedBinding',
  'binding',
  'chdir',
  'dlopen',
  'getBuiltinModule',
  'kill',
  'openStdin',
  'setegid',
  'seteuid',
  'setgid',
  'setuid',
];
const CLOSED_GLOBALS = ['EventSource', 'WebSocket', 'XMLHttpRequest', 'eval', 'fetch'];

/**
 * Permanently closes every route out of this process that JavaScript has: module exports, the native bindings
 * behind them, Electron's network, globals, and the environment. A function captured earlier keeps working
 * only if it needs none of these. This is the second layer: the first is that no script ever gets an object
 * of the host.
 */
export function lockDown(): void {
  const raw = process as RawProcess & typeof process;
  const builtin = raw.getBuiltinModule.bind(raw);
  const moduleApi = builtin('module');
  closeElectron(raw, moduleApi.createRequire(import.meta.url));
  // Loads all modules before closing any, because some depend on others.
  const modules = CLOSED_MODULES.map(builtin);
  closeBindings(raw);
  for (const exports of modules) closeModule(exports);
  const { syncBuiltinESMExports } = moduleApi;
  closeOwn(Reflect.get(moduleApi, '_extensions'));
  closeOwn(moduleApi);
  syncBuiltinESMExports();
  for (const name of Object.keys(raw.env)) Reflect.deleteProperty(raw.env, name);
  for (const name of CLOSED_PROCESS) replace(raw, name);
  for (const name of CLOSED_GLOBALS) replace(globalThis, name);
  // The engine's loader checks this name to decide whether it may use Node.
  Reflect.deleteProperty(globalThis, 'process');
}

function closeElectron(raw: RawProcess & typeof process, require: NodeJS.Require): void {
  if (raw.versions.electron === undefined) return;
  closeOwn(raw._linkedBinding?.('electron_common_net'));
  const electron = require('electron') as { net?: object };
  closeOwn(electron.net);
}

function closeBindings(raw: RawProcess): void {
  for (const name of ['tcp_wrap', 'udp_wrap', 'pipe_wrap', ...CLOSED_BINDINGS]) {
    const binding = bindingOf(raw, name);
    for (const [type, methods] of Object.entries(CLOSED_METHODS)) {
      closeMethods(Reflect.get(binding, type), methods);
    }
    if (CLOSED_BINDINGS.includes(name)) closeOwn(binding);
  }
}

function closeMethods(type: unknown, methods: readonly string[]): void {
  const prototype: unknown = typeof type === 'function' ? type.prototype : undefined;
  if (isObject(prototype)) for (const method of methods) replace(prototype, method, refuse);
}

function bindingOf(raw: RawProcess, name: string): object {
  try {
    return raw.binding?.(name) ?? {};
  } catch {
    // Not every version of Node exposes every binding; the later probes show whether that mattered.
    return {};
  }
}

function closeModule(exports: unknown): void {
  if (!isObject(exports)) return;
  closeOwn(Reflect.get(exports, 'promises'));
  closeOwn(exports);
}

/** Replaces every function that is an own property of an object. */
function closeOwn(holder: unknown): void {
  if (!isObject(holder)) return;
  for (const key of Reflect.ownKeys(holder)) {
    const found = Reflect.getOwnPropertyDescriptor(holder, key);
    if (typeof found?.value === 'function') replace(holder, key);
  }
}

function replace(holder: object, key: PropertyKey, value: () => unknown = deny): void {
  if (!(key in holder)) return;
  const closed = Reflect.defineProperty(holder, key, { value, writable: false, configurable: false });
  if (!closed) Reflect.set(holder, key, value);
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' || typeof value === 'function') && value !== null;
}
