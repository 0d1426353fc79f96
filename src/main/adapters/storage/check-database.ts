import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'libsql';
import { wasChecked } from './database-users';
import { versionMark } from './migrate';
import { walTailHasRows } from './salvage-rows';
import { migrations } from './schema';
import { failureText, isCorruption, saysFinding, saysUnwritable } from './storage-failure';
import { openSqliteReadOnly } from './sqlite';
import { readWal } from './wal-file';

/**
 * Each check is a statement that fails, run by `exec`: a query would leave a statement object that keeps the
 * file open until garbage collection, and closing a quarantined file late removes the log of the file that
 * took its name.
 */
const header = `
  CREATE TEMP TABLE structure (finding TEXT CHECK (finding = 'ok'));
  CREATE TEMP TABLE mark (version INTEGER, id INTEGER, CHECK (id IN (0, ${versionMark(0)} + version)));
  INSERT INTO mark SELECT user_version, application_id FROM pragma_user_version, pragma_application_id;
`;

/**
 * Reads every page: about two seconds per GB when cached in memory, twice that otherwise. A full-text index
 * that disagrees with the messages is not damage: it is rebuilt when SQLite cannot read it, and deletions by
 * earlier versions of Patina left such indexes.
 */
const wholeStructure = `
  INSERT INTO structure SELECT quick_check FROM pragma_quick_check(2)
  WHERE quick_check NOT LIKE 'malformed inverted index for FTS5 table %';
`;

/**
 * `quick`: the log, the header, the definitions, the small tables and whether sessions and events agree,
 * whatever the file size.
 * `complete`: also every page.
 */
export type CheckExtent = 'quick' | 'complete';

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const tables = migrations.join('\n').match(/CREATE (?:VIRTUAL )?TABLE [^;]+/g) ?? [];

/** SQLite keeps each table definition as text and trusts what it reads there, even a damaged name. */
const definitions = `
  CREATE TEMP TABLE definitions (missing TEXT CHECK (missing IS NULL));
  INSERT INTO definitions SELECT column1 FROM (VALUES ${tables.map((sql) => `(${quoted(sql.trim())})`).join(', ')})
  WHERE column1 NOT IN (SELECT sql FROM main.sqlite_schema WHERE sql IS NOT NULL);
`;

/**
 * The quick check does not compare an index with its table, and a session missing from its index is not
 * found. Covers only the small tables: a missing snapshot is rebuilt, and reading all of them would slow
 * every start.
 */
const indexes = ['sessions', 'leases', 'grants', 'tool_pins']
  .map((table) => `INSERT INTO structure SELECT integrity_check FROM pragma_integrity_check('${table}');`)
  .join('\n');

/** A session row must lead to its own events; readers report any events missing between them. */
const agreement = `
  CREATE TEMP TABLE agreement (key INTEGER CHECK (key IS NULL));
  INSERT INTO agreement SELECT key FROM sessions WHERE last_seq > 0 AND (
    NOT EXISTS (SELECT 1 FROM events WHERE id > key << 32 AND id < (key + 1) << 32)
    OR id <> (SELECT session_id FROM events WHERE id = (key << 32) + 1)
  ) LIMIT 1;
`;

/**
 * Whether the file has the schema this version knows; for an older or newer one, only the structure can be
 * judged. Queries SQLite instead of the file: closing any other descriptor of the file would drop this
 * process's locks on it.
 */
function hasKnownSchema(db: Database.Database): boolean {
  try {
    db.exec(`
      CREATE TEMP TABLE known (version INTEGER CHECK (version = ${migrations.length}));
      INSERT INTO known SELECT user_version FROM pragma_user_version;
    `);
    return true;
  } catch (error) {
    if (failureText(error).includes('SQLITE_CONSTRAINT_CHECK')) return false;
    throw error;
  }
}

/** Reads header byte 18, the file format write version: 1 and 2 allow writing. */
function headerAllowsWriting(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(1);
    readSync(file, head, 0, 1, 18);
    return head[0] === 1 || head[0] === 2;
  } finally {
    // Closing drops the process's locks on the file; the connection that was just refused a write needs none.
    closeSync(file);
  }
}

/**
 * Whether only the header forbids writing, as a damaged byte in it does. SQLite reports the same for a file
 * that the system protects from writing, and that error is thrown. Probes with a change that it rolls back,
 * because starting a transaction succeeds either way.
 */
function forbidsWriting(db: Database.Database, path: string): boolean {
  try {
    db.exec('BEGIN IMMEDIATE; CREATE TABLE probe (x); ROLLBACK');
    return false;
  } catch (error) {
    if (!saysUnwritable(error)) return false;
    if (failureText(error).startsWith('SQLITE_READONLY ') && !headerAllowsWriting(path)) return true;
    throw error;
  }
}

function findProblem(path: string, extent: CheckExtent): string | null {
  const db = new Database(path, { timeout: 500 });
  try {
    db.exec(header);
    if (extent === 'complete') db.exec(wholeStructure);
    if (hasKnownSchema(db)) db.exec(definitions + indexes + agreement);
    return forbidsWriting(db, path) ? 'its header forbids writing' : null;
  } catch (error) {
    if (saysFinding(error) || isCorruption(error)) return failureText(error);
    throw error;
  } finally {
    db.close();
  }
}

/**
 * Whether the file held a database before: a new file is empty until its first commit and has neither copies
 * nor a completed check.
 */
const heldSessions = (path: string): boolean => wasChecked(path) || existsSync(join(dirname(path), 'copies'));

function logProblem(path: string): string | null {
  const logPath = `${path}-wal`;
  if (!existsSync(logPath)) return null;
  const wal = readWal(readFileSync(logPath));
  if (!wal || wal.frames.length === 0) return null;
  if (wal.commitsBehindDamage) return 'the log is damaged before its last commit';
  if (wal.brokenEnd.length > 0 && walTailHasRows(path, logPath))
    return 'the last commit in the log is damaged';
  return statSync(path).size === 0 ? 'the file is empty and its log is not' : null;
}

/**
 * Describes the problem of a database file for a log; null when there is none or no file exists. Throws when
 * the check cannot run (no permission, a disk error), which says nothing about the file.
 */
export function databaseProblem(path: string, extent: CheckExtent): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return null;
  if (stat.isDirectory()) return 'a folder is in its place';
  const inLog = logProblem(path);
  if (inLog) return inLog;
  if (stat.size === 0) return heldSessions(path) ? 'the file is empty' : null;
  return findProblem(path, extent);
}

/**
 * Checks a database that may be in use, over a read-only connection: every page of the file and every
 * committed page of the log. Takes seconds per GB; meant for its own process.
 */
export function structureProblem(path: string): string | null {
  let db: Database.Database | null = null;
  try {
    db = openSqliteReadOnly(path);
    db.exec(header + wholeStructure);
    if (hasKnownSchema(db)) db.exec(definitions + indexes + agreement);
    return null;
  } catch (error) {
    if (saysFinding(error) || isCorruption(error)) return failureText(error);
    throw error;
  } finally {
    db?.close();
  }
}
