import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createExitOnce, MAX_LINE_BYTES, type ExitOnce, type LinePort, type PortExit } from './line-port';
import { createLineSplitter } from './line-splitter';
import { POSIX, startCommand, unsafeForCmdExe, type ChildLaunch } from './start-command';
import { createTextTail } from './text-tail';
import { existsSync } from 'fs';
import { isAbsolute } from 'path/posix';

const TERM_GRACE_MS = 1_000;
/**
 * Time to read output still in the pipe when a server ends; does not wait for a grandchild that keeps the
 * pipe open.
 */
const DRAIN_MS = 300;

const alive = new Set<ChildProcessWithoutNullStreams>();

/** Starts a server as a child process. A command that cannot start is reported as an exit, not thrown. */
export function createChildLinePort(launch: ChildLaunch, maxLineBytes = MAX_LINE_BYTES): LinePort {
  let child: ChildProcessWithoutNullStreams;
  try {
    child = startCommand(launch);
  } catch (error) {
    return neverStarted(error, launch);
  }
  return portOf(child, launch, maxLineBytes);
}

function portOf(child: ChildProcessWithoutNullStreams, launch: ChildLaunch, maxLineBytes: number): LinePort {
  const end = createExitOnce();
  const stderr = createTextTail();
  let line: (text: string) => void = () => undefined;
  track(child, end, launch);
  const splitter = createLineSplitter(
    maxLineBytes,
    (text) => line(text),
    () => {
      end.markExited({ cause: 'too-large', detail: `sent a message over ${maxLineBytes} bytes` });
      signalGroup(child, 'SIGKILL');
    },
  );
  child.stdout.on('data', splitter);
  child.stderr.on('data', stderr.add);
  // The exit event reports a server that ended during a write; the broken pipe adds nothing.
  child.stdin.on('error', () => undefined);
  return {
    pid: child.pid,
    send: (text) => {
      if (!end.over() && child.stdin.writable) child.stdin.write(`${text}\n`);
    },
    onLine: (listener) => {
      line = listener;
    },
    onExit: end.onExit,
    stderrTail: stderr.text,
    kill: () => stop(child),
  };
}

/** A port for a command that could not be started: it has exited from the beginning. */
function neverStarted(error: unknown, launch: ChildLaunch): LinePort {
  const end = createExitOnce();
  end.markExited(startFailed(error, launch));
  return {
    pid: undefined,
    send: () => undefined,
    onLine: () => undefined,
    onExit: end.onExit,
    stderrTail: () => '',
    kill: () => Promise.resolve(),
  };
}

function startFailed(error: unknown, launch: ChildLaunch): PortExit {
  return { cause: 'start-failed', detail: `could not be started: ${startProblem(error, launch)}` };
}

function track(child: ChildProcessWithoutNullStreams, end: ExitOnce, launch: ChildLaunch): void {
  if (alive.size === 0) process.on('exit', killAll);
  alive.add(child);
  const over = (exit: PortExit): void => {
    alive.delete(child);
    if (alive.size === 0) process.off('exit', killAll);
    end.markExited(exit);
  };
  child.once('error', (error) => over(startFailed(error, launch)));
  child.once('exit', (code, signal) => {
    const detail = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
    const finish = (): void => over({ cause: 'exited', detail });
    child.once('close', finish);
    setTimeout(finish, DRAIN_MS).unref();
  });
}

/** No server outlives the app: the app kills every server it started as its last action. */
function killAll(): void {
  for (const child of alive) signalGroup(child, 'SIGKILL');
}

function signalGroup(child: ChildProcessWithoutNullStreams, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    if (POSIX) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // The process has already ended.
  }
}

async function stop(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.stdin.end();
  signalGroup(child, 'SIGTERM');
  const hard = setTimeout(() => signalGroup(child, 'SIGKILL'), TERM_GRACE_MS);
  await exited;
  clearTimeout(hard);
  signalGroup(child, 'SIGKILL');
}
/** What to install for each program that commonly starts servers. */
const comesWith: Readonly<Record<string, string>> = {
  npx: 'Node.js',
  npm: 'Node.js',
  node: 'Node.js',
  uv: 'uv',
  uvx: 'uv',
  python: 'Python',
  python3: 'Python',
  docker: 'Docker',
  bunx: 'Bun',
  bun: 'Bun',
  deno: 'Deno',
};
function notFound({ command, cwd }: ChildLaunch): string {
  if (!existsSync(cwd)) return `its working folder ${cwd} does not exist`;
  if (/[\\/]/.test(command)) {
    const from = isAbsolute(command) ? '' : ` (looked for from ${cwd})`;
    return `there is no program ${command}${from}`;
  }
  const needs = Object.hasOwn(comesWith, command) ? `Install ${comesWith[command]}, or give` : 'Give';
  return (
    `there is no program "${command}" on the PATH it is started with. ${needs} the program's full path ` +
    `("which ${command}" in a terminal prints it): an app started from the desktop may search other folders than a terminal`
  );
}
/** The command may be a batch file, which Patina does not start with such arguments. */
const noBatchFile =
  'one of its arguments contains a quotation mark, a percent sign or a line break, which a batch file of Windows (as "npx") ' +
  'would misread. Start the program itself (as "node" with the path of the server’s script), or pass the value in "env"';
function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
/** Windows finds no program of that name, or finds a batch file. */
const batchFileMeant = (code: unknown, { args }: ChildLaunch): boolean =>
  (code === 'ENOENT' || code === 'EINVAL') && unsafeForCmdExe(args);
/**
 * Why a command could not start, as the end of a sentence (without its full stop) that says what to do.
 * `posix` is false on Windows.
 */

export function startProblem(error: unknown, launch: ChildLaunch, posix = POSIX): string {
  const code = codeOf(error);
  if (!posix && batchFileMeant(code, launch)) return noBatchFile;
  switch (code) {
    case 'ENOENT':
      return notFound(launch);
    case 'EACCES':
      return `${launch.command} cannot be run: it is not a program, or you have no permission to run it`;
    case 'E2BIG':
      return 'its arguments and environment are too long for this system';
    case 'ERR_INVALID_ARG_VALUE':
      return 'its command, folder, arguments or environment contain a NUL character, which no program accepts. Remove it from the registry';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
