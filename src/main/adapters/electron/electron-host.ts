import ElectronStore from 'electron-store';
import { join } from 'node:path';
import { safeStorage, session, utilityProcess, nativeImage } from 'electron';
import type { ProcessHost } from '../process-host';
import { createChatFileReader } from '../chat-files/chat-files';
import { bundleFiles } from '../system/bundle-files';
import { messageProcessEnv, type StartMessageProcess } from '../system/message-process';
import { packageVersion } from '../system/package-version';
import { projectArgument } from '../system/project-folder';
import { createUtilityBundledServers } from './bundled-server-process';
import { createSafeStorageSecrets } from './safe-storage-secrets';
import type { StartDatabaseCheck, CheckAnswer } from '../../../core/ports/database-check';
import type { Result } from '#shared/result';
import { findingOf } from '../storage/child-database-check';
import { emptyFolder } from '../sandbox/empty-folder';
import { kernelSupport } from '../sandbox/kernel-support';
import {
  type StartWorker,
  workerArguments,
  WORKER_ENV,
  WORKER_V8_FLAGS,
  type WorkerExit,
  missing,
} from '../sandbox/worker-process';
import type { CreateConf } from '../settings/conf';
import { settingsFileMode } from '../settings/settings-file';
import { pdfHeapMb, type StartPdfProcess } from '../pdf/pdf-reader';
import type { PdfAnswer } from '../pdf/pdf-text';

/** The longest side that models see in full. */
const maxSide = 2_000;
/** Above this size a photograph is stored as a JPEG. */
const maxPngBytes = 3_000_000;
const jpegQuality = 85;

/** Reduces a PNG or JPEG image to the sides that models see; null for another type. */
function resizeImage(bytes: Uint8Array): Uint8Array | null {
  const image = nativeImage.createFromBuffer(Buffer.from(bytes));
  if (image.isEmpty()) return null;
  const { width, height } = image.getSize();
  const share = Math.min(1, maxSide / Math.max(width, height));
  const size = {
    width: Math.max(1, Math.round(width * share)),
    height: Math.max(1, Math.round(height * share)),
  };
  const reduced = share < 1 ? image.resize({ ...size, quality: 'best' }) : image;
  const png = reduced.toPNG();
  return png.length <= maxPngBytes ? png : reduced.toJPEG(jpegQuality);
}

/** The folder of a terminal start: npm's caller folder, or the terminal's working folder. */
function startFolder(): string | null {
  return process.env['INIT_CWD'] ?? (process.stdout.isTTY ? process.cwd() : null);
}

/** The host of the app: utility processes and the system keychain. */
export function createElectronHost(bundle: string, home: string): ProcessHost {
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
    resizeImage,
    resolveProxy: (address) => session.defaultSession.resolveProxy(address),
    startWorker: createUtilitySandboxProcess(files.sandboxWorker(process.env)),
    readChatFile: createChatFileReader(join(bundle, 'chat-file-worker.js')),
    startPdfProcess: startUtilityPdfProcess(join(bundle, 'pdf-process.js')),
    startLocalModel: startUtility(join(bundle, 'model-process.js'), 'Patina local model'),
    startSentenceEncoder: startUtility(join(bundle, 'encoder-process.js'), 'Patina sentence encoder'),
    startDatabaseCheck: createUtilityDatabaseCheck(join(bundle, 'check-process.js')),
    startBundledServer: createUtilityBundledServers(join(bundle, 'bundled-server-host.js'), files.servers),
  };
}

/** Reads PDFs in utility processes; `bundle` is the built `pdf-process.js`. */
const startUtilityPdfProcess =
  (bundle: string): StartPdfProcess =>
  () => {
    const child = utilityProcess.fork(bundle, [], {
      serviceName: 'Patina PDF reader',
      execArgv: [`--max-old-space-size=${pdfHeapMb}`],
      env: { TZ: 'UTC', LANG: 'C.UTF-8' },
      stdio: 'ignore',
    });
    return {
      send: (bytes) => child.postMessage(bytes),
      onAnswer: (listener) => void child.once('message', (answer: PdfAnswer) => listener(answer)),
      onExit: (listener) => void child.once('exit', listener),
      kill: () => void child.kill(),
    };
  };

/** Starts utility processes of one kind; `bundle` is the built entry, `serviceName` what the system shows. */
const startUtility =
  <Sent>(bundle: string, serviceName: string): StartMessageProcess<Sent> =>
  () => {
    const child = utilityProcess.fork(bundle, [], {
      serviceName,
      env: messageProcessEnv,
      stdio: 'ignore',
    });
    return {
      send: (message) => child.postMessage(message),
      onMessage: (listener) => void child.on('message', listener),
      onExit: (listener) => void child.once('exit', listener),
      kill: () => {
        // A request to end would wait for the computation.
        if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL');
        else child.kill();
      },
    };
  };

/**
 * Runs database checks in utility processes, because the packaged app cannot run as Node. `bundle` is the
 * built `check-process.js`.
 */
function createUtilityDatabaseCheck(bundle: string): StartDatabaseCheck {
  return (path, task = 'check', subject = '') => {
    const child = utilityProcess.fork(bundle, [path, task, subject], {
      serviceName: 'Patina sessions check',
      // An empty object would pass on our whole environment; this one replaces it.
      env: { TZ: 'UTC', LANG: 'C.UTF-8' },
      stdio: 'ignore',
    });
    const finding = new Promise<Result<string | null>>((resolve) => {
      child.once('message', (answer: CheckAnswer) => {
        resolve(findingOf(answer, task));
        child.kill();
      });
      child.once('exit', () => resolve(findingOf(null, task)));
    });
    return { finding, cancel: () => void child.kill() };
  };
}

/** Starts the app's sandbox workers as Electron utility processes. `bundle` is the worker's file. */
function createUtilitySandboxProcess(bundle: string): StartWorker {
  return () => {
    const child = utilityProcess.fork(bundle, workerArguments(kernelSupport().addon), {
      cwd: emptyFolder(),
      env: WORKER_ENV,
      execArgv: [`--js-flags=${WORKER_V8_FLAGS.join(' ')}`],
      stdio: 'ignore',
      serviceName: 'Patina sandbox',
    });
    // The exit code is 0 for a killed process, too.
    const ended = new Promise<WorkerExit>((resolve) => {
      child.once('exit', (code) => resolve({ code, signal: null }));
    });
    return {
      get pid() {
        return child.pid;
      },
      namespaces: missing('a utility process cannot be started in namespaces of its own'),
      post: (message) => child.postMessage(message),
      onMessage: (listener) => void child.on('message', listener),
      onExit: (listener) => void ended.then(listener),
      kill: () => void child.kill(),
    };
  };
}

/** The window's settings engine: electron-store on the same file that the command line reads with conf. */
const createElectronConf: CreateConf = ({ cwd, configName }) =>
  new ElectronStore({
    cwd,
    name: configName,
    accessPropertiesByDotNotation: false,
    configFileMode: settingsFileMode,
  });
