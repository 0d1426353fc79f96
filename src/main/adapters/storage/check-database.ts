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
 * Every check is a statement that fails, run by `exec`: a query would leave a statement object that keeps the file open until it
 * is collected, and a late close of a file set aside removes the log of the file that took its name.
 */
const header = `
  CREATE TEMP TABLE structure (finding TEXT CHECK (finding = 'ok'));
  CREATE TEMP TABLE mark (version INTEGER, id INTEGER, CHECK (id IN (0, ${versionMark(0)} + version)));
  INSERT INTO mark SELECT user_version, application_id FROM pragma_user_version, pragma_application_id;
`;

/**
 * Reads every page: about two seconds for each GB that is in memory, and twice as many for one that is not. An index of words that does
 * not agree with the messages is no damage: it is made anew when SQLite cannot read it, and deletions of an earlier Patina left such.
 */
const wholeStructure = `
  INSERT INTO structure SELECT quick_check FROM pragma_quick_check(2)
  WHERE quick_check NOT LIKE 'malformed inverted index for FTS5 table %';
`;

/**
 * `quick`: the log, the header, the definitions, the small tables and whether sessions and events agree, whatever the size of the file.
 * `complete`: every page as well.
 */
export type CheckExtent = 'quick' | 'complete';

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const tables = migrations.join('\n').match(/CREATE (?:VIRTUAL )?TABLE [^;]+/g) ?? [];

/** SQLite keeps a table's definition as it was written and believes what it reads there, a damaged name as well. */
const definitions = `
  CREATE TEMP TABLE definitions (missing TEXT CHECK (missing IS NULL));
  INSERT INTO definitions SELECT column1 FROM (VALUES ${tables.map((sql) => `(${quoted(sql.trim())})`).join(', ')})
  WHERE column1 NOT IN (SELECT sql FROM main.sqlite_schema WHERE sql IS NOT NULL);
`;

/**
 * The quick check does not compare an index with its table, and a session that its index does not name is not found. Of the small
 * tables only: a snapshot that is not found is made anew, and reading all of them would make every start longer.
 */
const indexes = ['sessions', 'leases', 'grants', 'tool_pins']
  .map((table) => `INSERT INTO structure SELECT integrity_check FROM pragma_integrity_check('${table}');`)
  .join('\n');

/** A session's line must lead to events, and to its own; events that are missing among them are the readers' to name. */
const agreement = `
  CREATE TEMP TABLE agreement (key INTEGER CHECK (key IS NULL));
  INSERT INTO agreement SELECT key FROM sessions WHERE last_seq > 0 AND (
    NOT EXISTS (SELECT 1 FROM events WHERE id > key << 32 AND id < (key + 1) << 32)
    OR id <> (SELECT session_id FROM events WHERE id = (key << 32) + 1)
  ) LIMIT 1;
`;

/**
 * Whether the file has the schema this Patina knows; of an older or newer one nothing but the structure can be judged.
 * Asked of SQLite and not of the file: closing any other descriptor of it would drop this process's locks on it.
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

/** Of the two numbers in the header that SQLite judges a file by, the one that says who may write: 1 and 2 allow it. */
function headerAllowsWriting(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(1);
    readSync(file, head, 0, 1, 18);
    return head[0] === 1 || head[0] === 2;
  } finally {
    // This drops the process's locks on the file, of which the connection that was just refused a write needs none.
    closeSync(file);
  }
}

/**
 * Whether the header alone forbids to write, as a damaged number in it does; of a file that the system does not let us write, SQLite
 * says the same, and that is thrown. Asked by a change that is taken back, since the beginning of a transaction is allowed all the same.
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

/** Whether the file was a whole one before: a new one is empty until its first commit, and has neither copies nor a check. */
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
 * What is wrong with a database file, in words for a log, or null when nothing was found or no file is there.
 * Throws when that cannot be found out (no permission, a disk error), which says nothing about the file.
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
 * The same question of a database that may be in use, asked over a connection that only reads: every page of the file, and of the log
 * what was committed. Takes seconds for each GB; meant for a process of its own.
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
