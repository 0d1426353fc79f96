import { existsSync, readFileSync, statSync } from 'node:fs';
import Database from 'libsql';
import { migrations } from './schema';
import { failureText, saysDamaged } from './storage-failure';
import { readWal } from './wal-file';

/**
 * Every check is a statement that fails, run by `exec`: a query would leave a statement object that keeps the file open until it
 * is collected, and a late close of a file set aside removes the log of the file that took its name.
 */
const checks = `
  CREATE TEMP TABLE structure (finding TEXT CHECK (finding = 'ok'));
  INSERT INTO structure SELECT quick_check FROM pragma_quick_check(1);
`;

/** A session's line and its events must speak of the same session, and the events must reach as far as the line says. */
const agreement = `
  CREATE TEMP TABLE agreement (key INTEGER CHECK (key IS NULL));
  INSERT INTO agreement SELECT key FROM sessions WHERE last_seq > 0 AND (
    last_seq > (SELECT coalesce(max(id) - (key << 32), 0) FROM events WHERE id > key << 32 AND id < (key + 1) << 32)
    OR id IS NOT (SELECT session_id FROM events WHERE id = (key << 32) + 1)
  ) LIMIT 1;
`;

/** What the statements above fail with when they find something; a table that is missing counts. */
const damage = /SQLITE_CONSTRAINT_CHECK|SQLITE_ERROR/;

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

function findProblem(path: string): string | null {
  const db = new Database(path, { timeout: 500 });
  try {
    db.exec(checks);
    if (hasKnownSchema(db)) db.exec(agreement);
    return null;
  } catch (error) {
    const text = failureText(error);
    if (damage.test(text) || saysDamaged(error)) return text;
    throw error;
  } finally {
    db.close();
  }
}

function logProblem(path: string): string | null {
  const logPath = `${path}-wal`;
  if (!existsSync(logPath)) return null;
  const wal = readWal(readFileSync(logPath));
  if (!wal || wal.frames.length === 0) return null;
  if (wal.commitsBehindDamage) return 'the log is damaged before its last commit';
  return statSync(path).size === 0 ? 'the file is empty and its log is not' : null;
}

/**
 * What is wrong with a database file, in words for a log, or null when it is sound or not there.
 * Throws when that cannot be found out (no permission, a disk error), which says nothing about the file.
 */
export function databaseProblem(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return null;
  if (stat.isDirectory()) return 'a folder is in its place';
  const inLog = logProblem(path);
  if (inLog || stat.size === 0) return inLog;
  return findProblem(path);
}
