import { createChildLinePort } from './child-line-port';
import type { BundledServer, StartBundledServer } from './line-port';

/** Absolute paths of the bundled servers' entry files. */
export type BundledServerFiles = Readonly<Record<BundledServer, string>>;

/**
 * Runs the bundled servers as child processes of plain Node, over real standard input and output, for the
 * command line.
 */
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

/**
 * The complete environment of a bundled server: where to find git, and on Windows the folder that a process
 * needs to start.
 */
export function bundledServerEnv(): Record<string, string> {
  const { SystemRoot, PATH } = process.env;
  return {
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    ...(PATH !== undefined && { PATH }),
    ...(SystemRoot !== undefined && { SystemRoot }),
  };
}
