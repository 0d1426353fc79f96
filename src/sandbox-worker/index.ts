import { startWorker } from './start-worker';
import { loadWasiVm } from './vm-wasi';

await startWorker(loadWasiVm);
