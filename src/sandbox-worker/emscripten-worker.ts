import { startWorker } from './start-worker';
import { loadEmscriptenVm } from './vm-emscripten';

// The same worker with the other build of the engine: `SANDBOX_PATH` chooses it.
await startWorker('QuickJS 2025 (quickjs-emscripten 0.32)', loadEmscriptenVm);
