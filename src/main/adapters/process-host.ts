import type { CreateConf } from './settings/conf';
import type { StartWorker } from './sandbox/worker-process';
import type { StartLocalModel } from './local-model/messages';
import type { StartSentenceEncoder } from './sentence-encoder/messages';
import type { StartPdfProcess } from './pdf/pdf-reader';
import type { StartBundledServer } from './mcp/line-port';
import type { ReadChatFile } from '../../core/ports/chat-files';
import type { StartDatabaseCheck } from '../../core/ports/database-check';
import type { Secrets } from '../../core/ports/secrets';
import type { ResolveProxy } from './system/system-proxy';

/**
 * The parts that differ between the app and the command line; everything else is built the same way for both.
 */
export interface ProcessHost {
  readonly kind: 'app' | 'cli';
  readonly version: string;
  /** `PATINA_HOME`; an absolute path that exists. */
  readonly home: string;
  /** The folder of the seed data that ships with Patina. */
  readonly seeds: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A folder named on the command line; takes precedence over every other candidate. */
  readonly project: string | null;
  /** The folder of a terminal start, if there was one. */
  readonly startFolder: string | null;
  readonly secrets: Secrets;
  readonly createConf: CreateConf;
  readonly startWorker: StartWorker;
  readonly startBundledServer: StartBundledServer;
  readonly startDatabaseCheck: StartDatabaseCheck;
  readonly readChatFile: ReadChatFile;
  readonly startPdfProcess: StartPdfProcess;
  readonly startLocalModel: StartLocalModel;
  readonly startSentenceEncoder: StartSentenceEncoder;
  /** Reduces an image to what models see in full; null when it cannot be decoded. Only the app can. */
  readonly resizeImage?: (bytes: Uint8Array) => Uint8Array | null;
  /** Reads the proxy settings of the system. Only the app can. */
  readonly resolveProxy?: ResolveProxy;
}

/** The name of this process that other processes display. */
export const holderName = ({ kind }: Pick<ProcessHost, 'kind'>): string =>
  kind === 'app' ? 'the Patina window' : 'the patina command';
