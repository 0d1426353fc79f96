import { startWorker } from './start-worker';
import { loadEmscriptenVm } from './vm-emscripten';

// The same worker with the other build of the engine, selected by `SANDBOX_PATH`.
await startWorker('QuickJS 2025 (quickjs-emscripten 0.32)', loadEmscriptenVm);
