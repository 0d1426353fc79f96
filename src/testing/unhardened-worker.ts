import { prepareKernelFilter } from '../sandbox-worker/kernel-filter';
import { captureRoutes } from '../sandbox-worker/routes';

// The same attempts as the worker's, without a lockdown: the control that shows what the lockdown prevents.
const calls = prepareKernelFilter(process.argv[2]).probe();
const probes = [...calls, ...(await captureRoutes().probe())];
process.send?.({ type: 'ready', protocol: 1, probes });
