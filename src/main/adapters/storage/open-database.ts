import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
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
import { migrations } from './schema';
import { makePrivate, openSqlite, openSqliteReadOnly, transact, type Sqlite } from './sqlite';
import { failureText, saysUnwritable, unwritableBecause } from './storage-failure';
import { createTables, type Tables } from './tables';
import { type Head, checkChain } from './event-chain';
import { type EventRow, eventOf } from './event-row';
import { maxClaim, rebuildSession } from './read-events';
import { type FoundRows, salvageRows } from './salvage-rows';

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
  const quarantined = quarantineDatabase(path, fileStamp(now));
  renameSync(complete, path);
  return { ...counts, quarantined };
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

/** The error of an access to a folder; null when it is allowed. */
function refusedAccess(folder: string, mode: number): unknown {
  try {
    accessSync(folder, mode);
    return null;
  } catch (error) {
    return error;
  }
}

/**
 * Why a database, which may be missing, can only be read: its folder can be read and not written. Null otherwise,
 * also for a broken link; on a full disk the folder can be written, and the failure is an error.
 */
function readOnlyHome(path: string): unknown {
  const folder = dirname(path);
  const refusal = refusedAccess(folder, constants.W_OK);
  if (refusal === null || refusedAccess(folder, constants.R_OK | constants.X_OK) !== null) return null;
  return existsSync(path) || !lstatSync(path, { throwIfNoEntry: false }) ? refusal : null;
}

/**
 * Opens the sessions database: salvages a damaged one into a new file and migrates the schema to the newest
 * version. The cost does not grow with the file: every page is read only if damage was recorded before. An
 * unwritable file is opened read-only, and a missing one in a read-only folder counts as empty. Throws when the
 * file cannot be opened, is damaged while in use, or is newer than this version of Patina.
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
    // Making a folder on a read-only disk fails as if its parent were missing.
    const reason = existsSync(path) && !isMissing(error) ? error : readOnlyHome(path);
    if (!saysUnwritable(reason)) throw error;
    return { db: openForReading(request), salvage: null, readOnly: unwritableBecause(reason, path) };
  }
};

const isMissing = (error: unknown): boolean => failureText(error).startsWith('ENOENT');

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
/** A session's rows in order, and how many are missing between and after them. */
interface SalvagedSession {
  readonly sessionId: string;
  readonly rows: readonly EventRow[];
  readonly lastSeq: number;
  readonly lost: number;
}
function salvagedSession(found: FoundRows, sessionId: string): SalvagedSession {
  const bySeq = found.bySession.get(sessionId) ?? new Map<number, EventRow>();
  const rows = [...bySeq.values()].sort((a, b) => a.seq - b.seq);
  const highest = rows.at(-1)?.seq ?? 0;
  const claimed = Math.max(found.claimedSeq.get(sessionId) ?? 0, found.heads.get(sessionId)?.seq ?? 0);
  const lastSeq = claimed > highest && claimed - highest < maxClaim ? claimed : highest;
  const beyond = found.damaged.filter((row) => row.sessionId === sessionId && row.seq > lastSeq);
  return { sessionId, rows, lastSeq, lost: lastSeq - rows.length + beyond.length };
}
/**
 * Renames a database together with its log so that they stay a pair; returns the new path. An earlier version of
 * Patina may have left it readable for others.
 */
function quarantineDatabase(path: string, stamp: string): string {
  const target = `${path}.corrupt-${stamp}`;
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, target + suffix);
  }
  // A folder in place of the file keeps its mode.
  if (statSync(target).isFile()) makePrivate(target);
  return target;
}
/** Writes a session with its gaps; its head still records its original end. */
function writeSession(
  tables: Tables,
  { sessionId, rows, lastSeq }: SalvagedSession,
  head: Head | undefined,
): void {
  if (rows.length === 0) return;
  const key = tables.sessions.add(sessionId);
  for (const row of rows) tables.events.insert(key, row);
  if (head?.seq === lastSeq) tables.heads.put(key, sessionId, head);
  else tables.heads.put(key, sessionId, checkChain(tables.events, key, sessionId, null, lastSeq).end);
  const events = rows.map(eventOf);
  rebuildSession(tables, key, sessionId, { events, lastSeq });
  tables.usage.takeSession(events);
}
/**
 * Fills a new database with every intact row of a damaged one, at its original position. A missing event
 * stays a gap that readers report; the damaged bytes stay in the quarantined file. Rows that an older version
 * of Patina set aside stay set aside.
 */

export function salvageInto(tables: Tables, damaged: string): Omit<Salvage, 'quarantined'> {
  const found = salvageRows(damaged, `${damaged}-wal`);
  const damagedIn = found.damaged.map(({ sessionId }) => sessionId);
  const sessions = [...new Set([...found.bySession.keys(), ...found.claimedSeq.keys(), ...damagedIn])];
  const salvaged = sessions
    .map((sessionId) => salvagedSession(found, sessionId))
    .sort((a, b) => (a.rows[0]?.at ?? 0) - (b.rows[0]?.at ?? 0));
  transact(tables.db, () => {
    for (const session of salvaged) writeSession(tables, session, found.heads.get(session.sessionId));
    const quarantine = tables.db.prepare('INSERT INTO unreadable (found_at, row) VALUES (?, ?)');
    for (const { foundAt, row } of found.aside) quarantine.run(foundAt, row);
  });
  const eventsSaved = salvaged.reduce((sum, session) => sum + session.rows.length, 0);
  const rowsLost = salvaged.reduce((sum, session) => sum + session.lost, 0);
  return { eventsSaved, rowsLost };
}
