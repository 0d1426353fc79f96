import { connectHostPort } from './host-port';
import { lockDown } from './lockdown';
import { captureRoutes } from './routes';
import { loadQuickJs } from './quickjs-module';
import { prepareScriptVm } from './script-vm';
import { createUnitServer } from './serve-units';

// Order matters: what the worker needs is taken first, the doors are closed, then every door is tried.
const port = connectHostPort();
const wallMs = performance.now.bind(performance);
const cpuUsage = process.cpuUsage.bind(process);
const exit = process.exit.bind(process);
const clock = {
  wallMs,
  cpuMs: () => {
    const { user, system } = cpuUsage();
    return (user + system) / 1_000;
  },
};
const newInstance = await loadQuickJs();
const prepare = async () => prepareScriptVm(await newInstance(), clock);
const first = await prepare();
const routes = await captureRoutes();
lockDown();
const probes = await routes.probe();
port.onClose(() => exit(0));
port.onMessage(createUnitServer({ post: port.post, first, prepare }));
port.post({ type: 'ready', protocol: 1, probes });
