import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { unsafeForCmdExe, POSIX, type ChildLaunch } from './start-command';

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
    `("which ${command}" in a terminal says it): an app started from the desktop may know other folders than a terminal`
  );
}

/** The command may be a batch file, which Patina does not start with such arguments. */
const noBatchFile =
  'one of its arguments holds a quotation mark, a percent sign or a line break, which a batch file of Windows (as "npx") ' +
  'would misread. Start the program itself (as "node" with the path of the server’s script), or hand the value over in "env"';

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
      return `${launch.command} may not be run: it is no program, or the rights to run it are missing`;
    case 'E2BIG':
      return 'its arguments and environment are too long for this system';
    case 'ERR_INVALID_ARG_VALUE':
      return 'its command, folder, arguments or environment hold a character that no program can be given (NUL). Take it out of the registry';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
