import { createChildLinePort } from './child-line-port';
import type { BundledServer, StartBundledServer } from './line-port';

/** Where the code of the bundled servers lies: absolute paths of their entry files. */
export type BundledServerFiles = Readonly<Record<BundledServer, string>>;

/** Runs the bundled servers as child processes of a plain Node, over real standard input and output (the command line's way). */
export function createChildBundledServers(
  files: BundledServerFiles,
  node: string = process.execPath,
): StartBundledServer {
  return (server, project) =>
    createChildLinePort({
      command: node,
      args: [files[server], project],
      env: bundledServerEnv(),
      cwd: project,
    });
}

/** All that a bundled server is told of the environment: where git is looked for, and on Windows the folder a process needs to start. */
export function bundledServerEnv(): Record<string, string> {
  const { SystemRoot, PATH } = process.env;
  return {
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    ...(PATH !== undefined && { PATH }),
    ...(SystemRoot !== undefined && { SystemRoot }),
  };
}
