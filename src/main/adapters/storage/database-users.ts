import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * Small files beside the database through which the processes of a home communicate: the processes that have
 * it open (files named by process id), the last complete check (`checked`), and the reason for the next one
 * (`doubt`). SQLite's own locks cannot be queried on a damaged file: the query would start a repair and so
 * change a file that must stay as it is.
 */
const usersFolder = (path: string): string => `${path}.users`;
const checkedFile = (path: string): string => join(usersFolder(path), 'checked');
const doubtFile = (path: string): string => join(usersFolder(path), 'doubt');

/**
 * `unclean-end`: a process ended without closing the database. `damage`: SQLite or a complete check found
 * damage in the file.
 */
export type Doubt = 'unclean-end' | 'damage';

/** A complete check older than this must be repeated. */
const checkedForMs = 7 * 24 * 3_600_000;

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // A read-only home keeps no records; reading works without them.
  }
}

/** Throws disk errors, and an error that names what is in the place of the folder. */
export function registerProcess(path: string, pid: number): void {
  const there = statSync(usersFolder(path), { throwIfNoEntry: false });
  if (there && !there.isDirectory()) throw new Error(`NOT_A_FOLDER: ${usersFolder(path)} is not a folder`);
  mkdirSync(usersFolder(path), { recursive: true, mode: 0o700 });
  attempt(() => chmodSync(usersFolder(path), 0o700));
  writeFileSync(join(usersFolder(path), String(pid)), '', { mode: 0o600 });
}

export function unregisterProcess(path: string, pid: number): void {
  attempt(() => rmSync(join(usersFolder(path), String(pid)), { force: true }));
}

function users(path: string): readonly number[] {
  try {
    return readdirSync(usersFolder(path))
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Returns another living process that has the database open, or null. */
export function otherUser(path: string, pid: number, alive: (pid: number) => boolean): number | null {
  return users(path).find((id) => id !== pid && alive(id)) ?? null;
}

/**
 * Removes the files of processes that ended without cleanup, and records a doubt. A file with this process's
 * own id is one of them: it is removed when a store closes, and containers reuse process ids.
 */
export function noteUncleanEnds(path: string, pid: number, alive: (pid: number) => boolean): void {
  const gone = users(path).filter((id) => id === pid || !alive(id));
  if (gone.length > 0) noteDoubt(path, 'unclean-end');
  for (const id of gone) unregisterProcess(path, id);
}

/** Records that the file needs a complete check; never downgrades known damage. */
export function noteDoubt(path: string, doubt: Doubt): void {
  if (readDoubt(path) === 'damage') return;
  attempt(() => {
    mkdirSync(usersFolder(path), { recursive: true, mode: 0o700 });
    writeFileSync(doubtFile(path), doubt, { mode: 0o600 });
  });
}

export function readDoubt(path: string): Doubt | null {
  try {
    return readFileSync(doubtFile(path), 'utf8') === 'damage' ? 'damage' : 'unclean-end';
  } catch {
    return null;
  }
}

/**
 * Records that a complete check, started with `doubt` known, found no damage; a doubt recorded since then
 * remains.
 */
export function noteSound(path: string, doubt: Doubt | null): void {
  attempt(() => {
    mkdirSync(usersFolder(path), { recursive: true, mode: 0o700 });
    writeFileSync(checkedFile(path), '', { mode: 0o600 });
    if (readDoubt(path) === doubt) rmSync(doubtFile(path), { force: true });
  });
}

/** Whether the file was ever checked completely, or written entirely by this version of Patina. */
export const wasChecked = (path: string): boolean => existsSync(checkedFile(path));

/** Whether a complete check is due: after an unclean end, after a week, or when there never was one. */
export function completeCheckDue(path: string, now: number): boolean {
  if (readDoubt(path) !== null) return true;
  const checked = statSync(checkedFile(path), { throwIfNoEntry: false });
  return !checked || now - checked.mtimeMs > checkedForMs;
}
