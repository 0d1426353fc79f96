import { join, resolve } from 'node:path';
import { ok, type Result } from '#shared/result';
import type { ProcessHost } from '../process-host';
import { createChatFileReader } from '../chat-files/chat-files';
import { createChildBundledServers } from '../mcp/child-bundled-servers';
import { createChildSandboxProcess } from '../sandbox/child-sandbox-process';
import { startChildPdfProcess } from '../pdf/pdf-reader';
import { createFileSecrets } from '../secrets/file-secrets';
import { createNodeConf } from '../settings/conf';
import { createChildDatabaseCheck } from '../storage/child-database-check';
import { bundleFiles } from '../system/bundle-files';
import { startChildProcess } from '../system/message-process';
import { packageVersion } from '../system/package-version';
import { patinaHome } from '../system/home-folder';

export interface NodeHostOptions {
  readonly home?: string;
  readonly project?: string;
}

/**
 * The host of the command line: child processes and a private file for keys. Errors: CONFIG/INVALID when the
 * home folder cannot be created.
 */
export function createNodeHost(bundle: string, options: NodeHostOptions): Result<ProcessHost> {
  const env = options.home === undefined ? process.env : { ...process.env, PATINA_HOME: options.home };
  const home = patinaHome(env);
  if (!home.ok) return home;
  const files = bundleFiles(bundle);
  return ok({
    kind: 'cli',
    version: packageVersion(files.root),
    home: home.value,
    seeds: files.seeds,
    env,
    project: options.project === undefined ? null : resolve(options.project),
    startFolder: process.cwd(),
    secrets: createFileSecrets({ home: home.value }),
    createConf: createNodeConf,
    startWorker: createChildSandboxProcess(files.sandboxWorker(env)),
    startBundledServer: createChildBundledServers(files.servers),
    readChatFile: createChatFileReader(join(bundle, 'chat-file-worker.js')),
    startPdfProcess: startChildPdfProcess(join(bundle, 'pdf-process.js')),
    startLocalModel: startChildProcess(join(bundle, 'model-process.js')),
    startSentenceEncoder: startChildProcess(join(bundle, 'encoder-process.js')),
    startDatabaseCheck: createChildDatabaseCheck(join(bundle, 'check-process.js')),
  });
}
