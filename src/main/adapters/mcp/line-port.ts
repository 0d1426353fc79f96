/** Why a port is over. `too-large` and `start-failed` are verdicts of this side; `exited` covers every other end. */
export interface PortExit {
  readonly cause: 'exited' | 'start-failed' | 'too-large';
  /** One plain sentence part, as `exited with code 1`. */
  readonly detail: string;
}

/** One MCP message is one line. Longer lines end the server: memory stays bounded whatever it writes. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;

/**
 * A running MCP server as this side sees it: lines in, lines out, and an end that comes exactly once.
 * A child process, a utility process and a test double are all this.
 */
export interface LinePort {
  readonly pid: number | undefined;
  /** Sends one message, without its line end. After the end it goes nowhere. */
  send(line: string): void;
  onLine(listener: (line: string) => void): void;
  /** Called once, also when the end came before the listener. */
  onExit(listener: (exit: PortExit) => void): void;
  /** The last few kilobytes the server wrote to standard error. */
  stderrTail(): string;
  /** Asks the server to end, then makes it; resolves when it is gone. */
  kill(): Promise<void>;
}

/** The servers that come with the app. */
export type BundledServer = 'project' | 'filesystem';

/** Starts a bundled server on a project folder (absolute). How, is what differs between the app and the command line. */
export type StartBundledServer = (server: BundledServer, project: string) => LinePort;

/** The end of a port as a value that listeners may come late for. */
export interface ExitOnce {
  readonly over: () => boolean;
  readonly settle: (exit: PortExit) => void;
  readonly onExit: (listener: (exit: PortExit) => void) => void;
  readonly gone: Promise<PortExit>;
}

export function createExitOnce(): ExitOnce {
  let exit: PortExit | null = null;
  let resolve: (exit: PortExit) => void = () => undefined;
  const listeners: ((exit: PortExit) => void)[] = [];
  const gone = new Promise<PortExit>((settled) => {
    resolve = settled;
  });
  return {
    over: () => exit !== null,
    settle: (end) => {
      if (exit !== null) return;
      exit = end;
      resolve(end);
      for (const listener of listeners.splice(0)) listener(end);
    },
    onExit: (listener) => {
      if (exit === null) listeners.push(listener);
      else listener(exit);
    },
    gone,
  };
}
