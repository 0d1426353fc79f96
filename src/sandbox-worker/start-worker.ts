import type { FromWorker } from '#shared/sandbox-protocol';
import { type KernelFilter, prepareKernelFilter } from './kernel-filter';
import { lockDown } from './lockdown';
import { captureRoutes } from './routes';
import { createUnitServer } from './serve-units';
import type { PrepareVm } from './vm';

/** Turns this process into a sandbox worker with the engine from `load`; `engine` is the display name. */
export async function startWorker(engine: string, load: () => Promise<PrepareVm>): Promise<void> {
  // The order matters: capture what the worker needs, close the routes, then probe every route.
  let filter: KernelFilter | undefined = prepareKernelFilter(process.argv[2]);
  const port = connectHostPort();
  const wallMs = performance.now.bind(performance);
  const cpuUsage = process.cpuUsage.bind(process);
  const exit = process.exit.bind(process);
  const clock = {
    wallMs,
    cpuMs:
      filter.threadCpuMs ??
      (() => {
        const { user, system } = cpuUsage();
        return (user + system) / 1_000;
      }),
  };
  // The engine compiles on another thread while this thread loads the modules of the routes.
  const loading = load();
  const routes = captureRoutes();
  const prepare = await loading;
  const first = await prepare();
  lockDown();
  const kernel = filter.install();
  const calls = kernel.ok ? filter.probe() : [];
  // From here on, no code in this process can reach native calls.
  filter = undefined;
  const probes = [...calls, ...(await routes.probe())];
  port.onClose(() => exit(0));
  port.onMessage(createUnitServer({ post: port.post, clock, first, prepare, abort: () => exit(1) }));
  port.post({ type: 'ready', protocol: 1, probes, engine, kernel });
}

/**
 * The worker's only connection: messages from main, untrusted until parsed, and the event that main is gone.
 */
interface HostPort {
  post(message: FromWorker): void;
  onMessage(listener: (message: unknown) => void): void;
  onClose(listener: () => void): void;
}

/** Members that Electron adds to `process` in a utility process. */
interface ParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { data: unknown }) => void): void;
}

/** Finds the port of this process: Electron's parent port, else the channel of a forked child. */
function connectHostPort(): HostPort {
  // Captured here, because the lockdown removes the global.
  const host = process as typeof process & { parentPort?: ParentPort };
  const { parentPort } = host;
  if (parentPort) {
    return {
      post: (message) => parentPort.postMessage(message),
      onMessage: (listener) => parentPort.on('message', ({ data }) => listener(data)),
      // Electron ends its utility processes itself.
      onClose: () => undefined,
    };
  }
  const send = host.send?.bind(host);
  if (send === undefined) throw new Error('Patina starts the sandbox worker; do not start it by hand.');
  return {
    post: (message) => void send(message),
    onMessage: (listener) => void host.on('message', listener),
    onClose: (listener) => void host.on('disconnect', listener),
  };
}
