/**
 * Why a port ended. Patina itself decides `too-large` and `start-failed`; `exited` covers every other end.
 */
export interface PortExit {
  readonly cause: 'exited' | 'start-failed' | 'too-large';
  /** Part of a plain sentence, such as `exited with code 1`. */
  readonly detail: string;
}

/** One MCP message is one line. A longer line ends the server, so that its output cannot exhaust memory. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;

/**
 * A running MCP server as the client sees it: lines in, lines out, and exactly one exit. Child processes,
 * utility processes and test doubles implement it.
 */
export interface LinePort {
  readonly pid: number | undefined;
  /** Sends one message, without its line ending. After the exit it does nothing. */
  send(line: string): void;
  onLine(listener: (line: string) => void): void;
  /** Called once, even if the exit came before the listener. */
  onExit(listener: (exit: PortExit) => void): void;
  /** The last few kilobytes the server wrote to standard error. */
  stderrTail(): string;
  /** Asks the server to exit, then forces it; resolves when the process is gone. */
  kill(): Promise<void>;
}

/** The servers included with the app. */
export type BundledServer = 'project' | 'filesystem';

/**
 * Starts a bundled server on a project folder (absolute path). The app and the command line implement it
 * differently.
 */
export type StartBundledServer = (server: BundledServer, project: string) => LinePort;

/** The exit of a port as a value; listeners added later still receive it. */
export type ExitOnce = ReturnType<typeof createExitOnce>;

export function createExitOnce() {
  let exit: PortExit | null = null;
  let resolve: (exit: PortExit) => void = () => undefined;
  const listeners: ((exit: PortExit) => void)[] = [];
  const gone = new Promise<PortExit>((resolveExit) => {
    resolve = resolveExit;
  });
  return {
    over: (): boolean => exit !== null,
    markExited: (end: PortExit): void => {
      if (exit !== null) return;
      exit = end;
      resolve(end);
      for (const listener of listeners.splice(0)) listener(end);
    },
    onExit: (listener: (exit: PortExit) => void): void => {
      if (exit === null) listeners.push(listener);
      else listener(exit);
    },
    gone,
  };
}
