import type { ToWorker } from '#shared/sandbox-protocol';

/** How a worker process ended; `code` 0 is no success: nothing asked it to end. */
export interface WorkerExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** One wall of the sandbox on this machine: whether it stands, and why not. */
export interface LayerStatus {
  readonly ok: boolean;
  readonly detail: string;
}

const SYSTEMS: Readonly<Record<string, string>> = { darwin: 'macOS', win32: 'Windows' };

/** A wall that does not stand, and why. */
export const missing = (why: string): LayerStatus => ({ ok: false, detail: `missing: ${why}` });
/** In these words SECURITY.md names what a system cannot do. */
export const missingOn = (platform: string): LayerStatus =>
  missing(`not built for ${SYSTEMS[platform] ?? platform}`);

/** A process that runs the worker's bundle. What it says is untrusted until parsed. */
export interface WorkerProcess {
  /** Undefined until the process runs, and for a worker that has no process of its own. */
  readonly pid: number | undefined;
  /** Whether the system shows it a world of its own. */
  readonly namespaces: LayerStatus;
  post(message: ToWorker): void;
  onMessage(hear: (message: unknown) => void): void;
  /** Called once, also for a process that could not be started. */
  onExit(hear: (exit: WorkerExit) => void): void;
  /** Ends it at once; `onExit` follows. */
  kill(): void;
}

export type StartWorker = () => WorkerProcess;

/** What a worker is told when it starts: the library with which it filters its own system calls, where there is one. */
export const workerArguments = (addon: string | undefined): string[] => (addon === undefined ? [] : [addon]);

/** Enough of an environment to be one: Electron hands an empty one's place to the whole of ours. */
export const WORKER_ENV = { TZ: 'UTC', LANG: 'C' };
/** No text becomes code in the worker, and its own heap stays small beside the guest's fixed memory. */
export const WORKER_V8_FLAGS = ['--max-old-space-size=96', '--disallow-code-generation-from-strings'];
