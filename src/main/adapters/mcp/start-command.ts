import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import crossSpawn from 'cross-spawn';

/** A command as a list of words: no shell is given a text of ours, on any system. */
export interface ChildLaunch {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the child; nothing is added to it. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export const POSIX = process.platform !== 'win32';

/**
 * Whether a batch file of Windows (`npx.cmd`) could take these arguments for something else: it hands its line to cmd.exe to be
 * read once more, where a quotation mark ends a quoted word, a percent sign begins a variable and a line break ends the line.
 */
export const unsafeForCmdExe = (args: readonly string[]): boolean => args.some((arg) => /["%\r\n]/.test(arg));

/**
 * Starts a command in its own process group, where there is such a thing, so that what the command itself starts ends with
 * it. On Windows batch files start as well, but none with words it would misread: those are only given to programs, which
 * Node starts without cmd.exe. Throws what Node throws of a command that cannot even be tried (too long, a NUL in it).
 */
export function startCommand({ command, args, env, cwd }: ChildLaunch): ChildProcessWithoutNullStreams {
  const start = unsafeForCmdExe(args) ? spawn : crossSpawn.spawn;
  return start(command, [...args], {
    cwd,
    env: { ...env },
    shell: false,
    windowsHide: true,
    detached: POSIX,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}
