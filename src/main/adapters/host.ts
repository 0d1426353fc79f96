import type { CreateConf } from './settings/conf';
import type { StartWorker } from './sandbox/worker-process';
import type { StartBundledServer } from './mcp/line-port';
import type { StartDatabaseCheck } from '../../core/ports/database-check';
import type { Secrets } from '../../core/ports/secrets';

/** What differs between the app and the command line; everything else is built the same for both. */
export interface Host {
  readonly kind: 'app' | 'cli';
  readonly version: string;
  /** `PATINA_HOME`; absolute, exists. */
  readonly home: string;
  /** The folder of the data Patina starts with. */
  readonly seeds: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A folder named on the command line, before any other candidate. */
  readonly project: string | null;
  /** The folder of a terminal start, if there was one. */
  readonly startFolder: string | null;
  readonly secrets: Secrets;
  readonly createConf: CreateConf;
  readonly startWorker: StartWorker;
  readonly startBundledServer: StartBundledServer;
  readonly startDatabaseCheck: StartDatabaseCheck;
}

/** What a process is called where another one is told of it. */
export const holderName = ({ kind }: Pick<Host, 'kind'>): string =>
  kind === 'app' ? 'the Patina window' : 'the patina command';
