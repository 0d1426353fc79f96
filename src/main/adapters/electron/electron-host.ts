import { join, resolve } from 'node:path';
import { safeStorage } from 'electron';
import type { Host } from '../host';
import { bundleFiles } from '../system/bundle-files';
import { packageVersion } from '../system/package-version';
import { createUtilityBundledServers } from './bundled-server-process';
import { createUtilityDatabaseCheck } from './database-check-process';
import { createSafeStorageSecrets } from './safe-storage-secrets';
import { createUtilitySandboxProcess } from './sandbox-process';
import { createElectronConf } from './settings-conf';

/** `--project DIR` or `--project=DIR` on the app's command line. */
function projectArgument(argv: readonly string[]): string | null {
  const at = argv.findIndex((word) => word === '--project' || word.startsWith('--project='));
  if (at === -1) return null;
  const value = argv[at]?.split('=')[1] ?? argv[at + 1];
  return value ? resolve(value) : null;
}

/** The folder of a terminal start: npm tells where it was called from, a terminal where it stands. */
function startFolder(): string | null {
  return process.env['INIT_CWD'] ?? (process.stdout.isTTY ? process.cwd() : null);
}

/** The host of the app: utility processes, the system's keychain. */
export function createElectronHost(bundle: string, home: string): Host {
  const files = bundleFiles(bundle);
  return {
    kind: 'app',
    version: packageVersion(files.root),
    home,
    seeds: files.seeds,
    env: process.env,
    project: projectArgument(process.argv),
    startFolder: startFolder(),
    secrets: createSafeStorageSecrets({ safeStorage, home }),
    createConf: createElectronConf,
    startWorker: createUtilitySandboxProcess(files.sandboxWorker(process.env)),
    startDatabaseCheck: createUtilityDatabaseCheck(join(bundle, 'check-process.js')),
    startBundledServer: createUtilityBundledServers(join(bundle, 'bundled-server-host.js'), files.servers),
  };
}
