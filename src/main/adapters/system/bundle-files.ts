import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathVariable } from './home-folder';
import type { BundledServerFiles } from '../mcp/child-bundled-servers';

export interface BundleFiles {
  /** The project's root, or the packaged app's. */
  readonly root: string;
  readonly seeds: string;
  /** The folder of the user guide. */
  readonly help: string;
  readonly servers: BundledServerFiles;
  /** `SANDBOX_PATH` may name another worker bundle. */
  readonly sandboxWorker: (env: Readonly<Record<string, string | undefined>>) => string;
}

/** The paths of everything built or shipped, relative to the folder of main's own bundle. */
export function bundleFiles(bundle: string): BundleFiles {
  const root = resolve(bundle, '../..');
  const require = createRequire(join(root, 'package.json'));
  const filesystem = dirname(require.resolve('@modelcontextprotocol/server-filesystem/package.json'));
  return {
    root,
    seeds: join(root, 'seeds'),
    help: join(root, 'docs/user'),
    servers: {
      project: join(bundle, 'project-server.js'),
      filesystem: join(filesystem, 'dist/index.js'),
    },
    sandboxWorker: (env) => resolve(pathVariable(env, 'SANDBOX_PATH') ?? join(bundle, 'sandbox-worker.js')),
  };
}
