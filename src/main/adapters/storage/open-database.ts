import type { Salvage } from '../../ports/session-store';
import { migrate } from './migrate';
import { migrations } from './schema';
import { openSqlite, type Sqlite } from './sqlite';

export interface OpenRequest {
  readonly path: string;
  readonly now: number;
  /** This process, and whether another one lives. */
  readonly pid: number;
  readonly processAlive: (pid: number) => boolean;
}

export interface OpenedDatabase {
  readonly db: Sqlite;
  readonly salvage: Salvage | null;
}

export type OpenDatabase = (request: OpenRequest) => OpenedDatabase;

/** `2026-11-21T22-08-00-000Z`: a time that may stand in a file name on every system. */
export function fileStamp(now: number): string {
  return new Date(now).toISOString().replaceAll(/[:.]/g, '-');
}

/** Opens the sessions database, raised to the newest schema. Throws when the file cannot be had, or is newer than this Patina. */
export const openDatabase: OpenDatabase = ({ path, now }) => {
  const db = openSqlite(path);
  const newer = migrate(db, { migrations, copyPath: (from) => `${path}.v${from}-${fileStamp(now)}.bak` });
  if (newer) {
    db.close();
    throw new Error(`The file has version ${newer.newerVersion}; this Patina knows ${migrations.length}.`);
  }
  return { db, salvage: null };
};
