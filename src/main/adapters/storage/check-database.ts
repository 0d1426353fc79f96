import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import Database from 'libsql';
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

/** A session's line and its events must speak of the same session, and end at the same event. */
const agreement = `
  CREATE TEMP TABLE agreement (key INTEGER CHECK (key IS NULL));
  INSERT INTO agreement SELECT key FROM sessions WHERE last_seq > 0 AND (
    last_seq IS NOT (SELECT max(id) - (key << 32) FROM events WHERE id > key << 32 AND id < (key + 1) << 32)
    OR id IS NOT (SELECT session_id FROM events WHERE id = (key << 32) + 1)
  ) LIMIT 1;
`;

/** What the statements above fail with when they find something; a table that is missing counts. */
const damage = /SQLITE_CONSTRAINT_CHECK|SQLITE_ERROR/;

function findProblem(path: string, version: number): string | null {
  const db = new Database(path, { timeout: 500 });
  try {
    db.exec(checks);
    if (version > 0) db.exec(agreement);
    return null;
  } catch (error) {
    const text = failureText(error);
    if (damage.test(text) || saysDamaged(error)) return text;
    throw error;
  } finally {
    db.close();
  }
}

/** The schema's version, read from the file's header: 0 for a file SQLite has not written yet. */
function fileVersion(path: string): number {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(100);
    return readSync(file, head, 0, 100, 0) < 100 ? 0 : head.readUInt32BE(60);
  } finally {
    closeSync(file);
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
  return findProblem(path, fileVersion(path));
}
