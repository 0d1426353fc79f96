import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ReadOnlyStore, Salvage } from '../../../core/ports/session-store';
import { databaseProblem } from './check-database';
import {
  registerProcess,
  unregisterProcess,
  noteSound,
  noteUncleanEnds,
  otherUser,
  readDoubt,
} from './database-users';
import { migrate, userVersion } from './migrate';
import { salvageInto, quarantineDatabase } from './salvage-database';
import { migrations } from './schema';
import { openSqlite, openSqliteReadOnly, type Sqlite } from './sqlite';
import { saysUnwritable, unwritableBecause } from './storage-failure';
import { createTables } from './tables';

export interface OpenRequest {
  readonly path: string;
  readonly now: number;
  /** The id of this process; `processAlive` tests the id of another one. */
  readonly pid: number;
  readonly processAlive: (pid: number) => boolean;
}

export interface OpenedDatabase {
  readonly db: Sqlite;
  readonly salvage: Salvage | null;
  /** Why the file is read-only; absent when it is writable. */
  readonly readOnly?: ReadOnlyStore;
}

export type OpenDatabase = (request: OpenRequest) => OpenedDatabase;

/** Formats a time as `2026-11-21T22-08-00-000Z`, which every system accepts in a file name. */
function fileStamp(now: number): string {
  return new Date(now).toISOString().replaceAll(/[:.]/g, '-');
}

/** Allows one process at a time to salvage; ignores the lock of a dead process. */
function withSalvageLock<T>({ path, pid, processAlive }: OpenRequest, work: () => T): T {
  const lock = `${path}.salvage-lock`;
  const owner = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0;
  if (owner > 0 && owner !== pid && processAlive(owner)) {
    throw new Error('SQLITE_BUSY: another process is saving the damaged file');
  }
  rmSync(lock, { force: true });
  writeFileSync(lock, String(pid), { flag: 'wx', mode: 0o600 });
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

const removeDatabase = (path: string): void => {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
};

/**
 * Builds the new database beside the damaged one and swaps them only when it is complete; `.salvaged`
 * survives a crash in between.
 */
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
  const setAside = quarantineDatabase(path, fileStamp(now));
  renameSync(complete, path);
  return { ...counts, setAside };
}

/** Completes a swap whose process died before renaming a finished salvage. */
function finishSwap(path: string): void {
  if (!existsSync(path) && existsSync(`${path}.salvaged`)) renameSync(`${path}.salvaged`, path);
}

const isNewer = (version: number): Error =>
  new Error(`version ${version}, written by a newer Patina; this one knows ${migrations.length}`);

function openAndMigrate(path: string, now: number): Sqlite {
  const db = openSqlite(path);
  const newer = migrate(db, { migrations, copyPath: (from) => `${path}.v${from}-${fileStamp(now)}.bak` });
  if (!newer) return db;
  db.close();
  throw isNewer(newer.newerVersion);
}

/**
 * Opens the sessions database: salvages a damaged one into a new file and migrates the schema to the newest
 * version. The cost does not grow with the file: every page is read only if damage was recorded before. An
 * unwritable file is opened read-only. Throws when the file cannot be opened, is damaged while in use, or is
 * newer than this version of Patina.
 */
export const openDatabase: OpenDatabase = (request) => {
  const { path, pid, processAlive } = request;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    noteUncleanEnds(path, pid, processAlive);
    registerProcess(path, pid);
    return openOrSalvage(request);
  } catch (error) {
    unregisterProcess(path, pid);
    if (!saysUnwritable(error) || !existsSync(path)) throw error;
    return { db: openForReading(request), salvage: null, readOnly: unwritableBecause(error, path) };
  }
};

function openOrSalvage(request: OpenRequest): OpenedDatabase {
  const { path, now } = request;
  finishSwap(path);
  const isNew = !existsSync(path);
  const doubt = readDoubt(path);
  const user = otherUser(path, request.pid, request.processAlive);
  // A file that another process uses cannot be replaced: like that process, this one reads around known
  // damage.
  const extent = doubt === 'damage' && user === null ? 'complete' : 'quick';
  if (databaseProblem(path, extent) === null) {
    const db = openAndMigrate(path, now);
    if (isNew || extent === 'complete') noteSound(path, doubt);
    return { db, salvage: null };
  }
  if (user !== null)
    throw new Error(`SQLITE_CORRUPT: damaged, and in use by process ${user}; close it first`);
  const salvage = withSalvageLock(request, () => {
    // Checks again under the lock: another process may already have salvaged the file.
    if (databaseProblem(path, extent) === null) return null;
    return salvageDatabase(request);
  });
  noteSound(path, doubt);
  return { db: openAndMigrate(path, now), salvage };
}

/**
 * Opens the file in place; null when SQLite cannot: a log needs an index file that cannot be created here.
 */
function openInPlace(path: string): Sqlite | null {
  try {
    return openSqliteReadOnly(path);
  } catch (error) {
    if (saysUnwritable(error)) return null;
    throw error;
  }
}

/** Opens a temporary copy of the file and its log; the copy is deleted when this process ends. */
function openCopy({ path, now }: OpenRequest): Sqlite {
  const folder = mkdtempSync(join(tmpdir(), 'patina-sessions-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, 'sessions.db');
  for (const suffix of ['', '-wal']) {
    if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix, constants.COPYFILE_FICLONE);
  }
  const db = openAndMigrate(copy, now);
  db.exec('PRAGMA query_only = ON');
  return db;
}

/**
 * Opens an unwritable database: in place, or from a copy when its version is older or its log cannot be read
 * in place.
 */
function openForReading(request: OpenRequest): Sqlite {
  const db = openInPlace(request.path);
  const version = db && userVersion(db);
  if (version === migrations.length) return db as Sqlite;
  db?.close();
  if (version !== null && version > migrations.length) throw isNewer(version);
  return openCopy(request);
}
