import { connectHostPort } from './host-port';
import { prepareKernelFilter } from './kernel-filter';
import type { KernelFilter } from './kernel-filter';
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
