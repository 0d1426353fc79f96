import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import crossSpawn from 'cross-spawn';

/** A command as a list of words: Patina passes no text to a shell, on any system. */
export interface ChildLaunch {
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment of the child; nothing is added to it. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export const POSIX = process.platform !== 'win32';

/**
 * Whether a Windows batch file (`npx.cmd`) could misread these arguments: it passes its line to cmd.exe for a
 * second parse, where a quotation mark ends a quoted word, a percent sign starts a variable and a line break
 * ends the line.
 */
export const unsafeForCmdExe = (args: readonly string[]): boolean => args.some((arg) => /["%\r\n]/.test(arg));

/**
 * Starts a command in its own process group, where the system has groups, so that its child processes end
 * with it. On Windows it also starts batch files, but not with arguments they would misread: those go only to
 * programs, which Node starts without cmd.exe. Throws Node's exception for a command that cannot even be
 * tried (too long, contains a NUL).
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
