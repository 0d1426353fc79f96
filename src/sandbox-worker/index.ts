import { takeBuiltInTemplate } from './built-in-template';
import { startWorker } from './start-worker';
import { loadWasiVm } from './vm-wasi';

await startWorker('QuickJS-ng 0.17 (quickjs-wasi 3.6)', () => loadWasiVm(takeBuiltInTemplate));
