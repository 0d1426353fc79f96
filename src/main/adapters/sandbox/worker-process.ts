import type { ToWorker } from '#shared/sandbox-protocol';

/** How a worker process ended; even `code` 0 is not a success, because nothing asked it to exit. */
export interface WorkerExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** One layer of the sandbox on this machine: whether it is active, and why not. */
export interface LayerStatus {
  readonly ok: boolean;
  readonly detail: string;
}

const SYSTEMS: Readonly<Record<string, string>> = { darwin: 'macOS', win32: 'Windows' };

/** A layer that is not active, and why. */
export const missing = (why: string): LayerStatus => ({ ok: false, detail: `missing: ${why}` });
/** SECURITY.md uses this wording for features that a system lacks. */
export const missingOn = (platform: string): LayerStatus =>
  missing(`not built for ${SYSTEMS[platform] ?? platform}`);

/** A process that runs the worker's bundle. Its messages are untrusted until parsed. */
export interface WorkerProcess {
  /** Undefined until the process runs, and for a worker without its own process. */
  readonly pid: number | undefined;
  /** Whether the process has its own namespaces. */
  readonly namespaces: LayerStatus;
  post(message: ToWorker): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, even for a process that could not start. */
  onExit(listener: (exit: WorkerExit) => void): void;
  /** Kills the process at once; `onExit` follows. */
  kill(): void;
}

export type StartWorker = () => WorkerProcess;

/** Arguments of a worker process: the library with which it filters its own system calls, if there is one. */
export const workerArguments = (addon: string | undefined): string[] => (addon === undefined ? [] : [addon]);

/**
 * A minimal, non-empty environment: Electron replaces an empty one with the full environment of its parent.
 */
export const WORKER_ENV = { TZ: 'UTC', LANG: 'C' };
/**
 * Prevents code generation from text in the worker, and keeps its own heap small beside the guest's fixed
 * memory.
 */
export const WORKER_V8_FLAGS = ['--max-old-space-size=96', '--disallow-code-generation-from-strings'];
