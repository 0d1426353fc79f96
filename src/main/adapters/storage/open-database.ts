import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Salvage } from '../../ports/session-store';
import { databaseProblem } from './check-database';
import { enterDatabase, otherUser } from './database-users';
import { migrate } from './migrate';
import { salvageInto, setDatabaseAside } from './salvage-database';
import { migrations } from './schema';
import { openSqlite, type Sqlite } from './sqlite';
import { createTables } from './tables';

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
function fileStamp(now: number): string {
  return new Date(now).toISOString().replaceAll(/[:.]/g, '-');
}

function openAndMigrate(path: string, now: number): Sqlite {
  const db = openSqlite(path);
  const newer = migrate(db, { migrations, copyPath: (from) => `${path}.v${from}-${fileStamp(now)}.bak` });
  if (!newer) return db;
  db.close();
  throw new Error(
    `version ${newer.newerVersion}, written by a newer Patina; this one knows ${migrations.length}`,
  );
}

/** Lets one process at a time salvage; the lock of a dead one is void. */
function withSalvageLock<T>({ path, pid, processAlive }: OpenRequest, work: () => T): T {
  const lock = `${path}.salvage-lock`;
  const owner = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0;
  if (owner > 0 && owner !== pid && processAlive(owner)) {
    throw new Error('SQLITE_BUSY: another process is saving the damaged file');
  }
  rmSync(lock, { force: true });
  writeFileSync(lock, String(pid), { flag: 'wx' });
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

const removeDatabase = (path: string): void => {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
};

/** Builds the new database beside the damaged one and swaps them only when it is complete; `.salvaged` survives a crash in between. */
function salvageDatabase({ path, now, pid }: OpenRequest): Salvage {
  const [building, complete] = [`${path}.salvaging`, `${path}.salvaged`];
  removeDatabase(building);
  removeDatabase(complete);
  const db = openAndMigrate(building, now);
  const tables = createTables(db, { self: { holder: 'salvage', pid }, processAlive: () => false });
  const counts = salvageInto(tables, path);
  db.exec('PRAGMA journal_mode = DELETE');
  db.close();
  renameSync(building, complete);
  const setAside = setDatabaseAside(path, fileStamp(now));
  renameSync(complete, path);
  return { ...counts, setAside };
}

/** Puts a finished salvage in its place when the process that made it died before it could. */
function finishSwap(path: string): void {
  if (!existsSync(path) && existsSync(`${path}.salvaged`)) renameSync(`${path}.salvaged`, path);
}

/**
 * Opens the sessions database: checked, salvaged into a new file when damaged, raised to the newest schema.
 * Throws when the file cannot be had, is in use while damaged, or is newer than this Patina.
 */
export const openDatabase: OpenDatabase = (request) => {
  const opened = openOrSalvage(request);
  enterDatabase(request.path, request.pid);
  return opened;
};

function openOrSalvage(request: OpenRequest): OpenedDatabase {
  const { path, now } = request;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  finishSwap(path);
  if (databaseProblem(path) === null) return { db: openAndMigrate(path, now), salvage: null };
  const user = otherUser(path, request.pid, request.processAlive);
  if (user !== null)
    throw new Error(`SQLITE_CORRUPT: damaged, and in use by process ${user}; close it first`);
  const salvage = withSalvageLock(request, () => {
    // Looked at again under the lock: another process may have been faster.
    if (databaseProblem(path) === null) return null;
    return salvageDatabase(request);
  });
  return { db: openAndMigrate(path, now), salvage };
}
