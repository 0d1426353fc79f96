import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';

/** What was to be started, and where. */
export interface Wanted {
  readonly command: string;
  readonly cwd: string;
}

/** What one installs to have a program that servers are often started with. */
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

function notFound({ command, cwd }: Wanted): string {
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

/** Why a command could not be started, as the end of a sentence (without its full stop) that says what to do. */
export function startProblem(error: NodeJS.ErrnoException, launch: Wanted): string {
  switch (error.code) {
    case 'ENOENT':
      return notFound(launch);
    case 'EACCES':
      return `${launch.command} may not be run: it is no program, or the rights to run it are missing`;
    case 'E2BIG':
      return 'its arguments and environment are too long for this system';
    default:
      return error.message;
  }
}
