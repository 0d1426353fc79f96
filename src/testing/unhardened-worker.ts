import { captureRoutes } from '../sandbox-worker/routes';

// The same attempts as the worker's, with every door open: the control that shows what the lockdown is for.
const probes = await captureRoutes().probe();
process.send?.({ type: 'ready', protocol: 1, probes });
