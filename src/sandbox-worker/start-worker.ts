import type { FromWorker } from '#shared/sandbox-protocol';
import { type KernelFilter, prepareKernelFilter } from './kernel-filter';
import { lockDown } from './lockdown';
import { captureRoutes } from './routes';
import { createUnitServer } from './serve-units';
import type { PrepareVm } from './vm';

/** Makes this process a sandbox worker with the engine that `load` gives; `engine` is what people know it as. */
export async function startWorker(engine: string, load: () => Promise<PrepareVm>): Promise<void> {
  // Order matters: what the worker needs is taken first, the doors are closed, then every door is tried.
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
  // The engine is compiled on another thread; meanwhile the routes load their modules on this one.
  const loading = load();
  const routes = captureRoutes();
  const prepare = await loading;
  const first = await prepare();
  lockDown();
  const kernel = filter.install();
  const calls = kernel.ok ? filter.probe() : [];
  // Native calls are out of reach from here on, for whatever runs in this process.
  filter = undefined;
  const probes = [...calls, ...(await routes.probe())];
  port.onClose(() => exit(0));
  port.onMessage(createUnitServer({ post: port.post, clock, first, prepare, giveUp: () => exit(1) }));
  port.post({ type: 'ready', protocol: 1, probes, engine, kernel });
}

/** The worker's only connection: messages from main, untrusted until parsed, and the moment main is gone. */
interface HostPort {
  post(message: FromWorker): void;
  onMessage(hear: (message: unknown) => void): void;
  onClose(hear: () => void): void;
}

/** What Electron adds to `process` in a utility process. */
interface ParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', hear: (event: { data: unknown }) => void): void;
}

/** Finds the port of this process: Electron's parent port, else the channel of a forked child. */
function connectHostPort(): HostPort {
  // Held here: the lockdown takes the global name away.
  const host = process as typeof process & { parentPort?: ParentPort };
  const { parentPort } = host;
  if (parentPort) {
    return {
      post: (message) => parentPort.postMessage(message),
      onMessage: (hear) => parentPort.on('message', ({ data }) => hear(data)),
      // Electron ends its utility processes itself.
      onClose: () => undefined,
    };
  }
  const send = host.send?.bind(host);
  if (send === undefined) throw new Error('The sandbox worker is started by Patina, not by hand.');
  return {
    post: (message) => void send(message),
    onMessage: (hear) => void host.on('message', hear),
    onClose: (hear) => void host.on('disconnect', hear),
  };
}
