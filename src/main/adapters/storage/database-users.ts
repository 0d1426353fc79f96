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
 * What the processes of a home leave for each other beside the database, in a folder of small files: who has it open (files named by
 * process ids), when it was last checked completely (`checked`), and why it should be (`doubt`). SQLite's own locks cannot be asked
 * about a damaged file: asking would make it repair, and so change, what is to be kept as it is.
 */
const usersFolder = (path: string): string => `${path}.users`;
const checkedFile = (path: string): string => join(usersFolder(path), 'checked');
const doubtFile = (path: string): string => join(usersFolder(path), 'doubt');

/** `unclean-end`: a process ended without closing the database. `damage`: SQLite, or a complete check, found the file damaged. */
export type Doubt = 'unclean-end' | 'damage';

/** A complete check older than this is due again. */
const checkedForMs = 7 * 24 * 3_600_000;

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // A home that cannot be written keeps no records; reading goes on without them.
  }
}

export function registerProcess(path: string, pid: number): void {
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

/** Another living process that has the database open, if there is one. */
export function otherUser(path: string, pid: number, alive: (pid: number) => boolean): number | null {
  return users(path).find((id) => id !== pid && alive(id)) ?? null;
}

/**
 * Removes the files of processes that ended without leaving, and notes that they did. A file with this process's own id is one of
 * them: it is removed when a store closes, and containers give the same ids again.
 */
export function noteUncleanEnds(path: string, pid: number, alive: (pid: number) => boolean): void {
  const gone = users(path).filter((id) => id === pid || !alive(id));
  if (gone.length > 0) noteDoubt(path, 'unclean-end');
  for (const id of gone) unregisterProcess(path, id);
}

/** Notes that the file needs a complete check; known damage is never noted down as less. */
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

/** Notes that a complete check, begun with `doubt` known, found the file sound; a doubt that came since stays. */
export function noteSound(path: string, doubt: Doubt | null): void {
  attempt(() => {
    mkdirSync(usersFolder(path), { recursive: true, mode: 0o700 });
    writeFileSync(checkedFile(path), '', { mode: 0o600 });
    if (readDoubt(path) === doubt) rmSync(doubtFile(path), { force: true });
  });
}

/** Whether the file was ever checked completely, or written whole by this Patina. */
export const wasChecked = (path: string): boolean => existsSync(checkedFile(path));

/** Whether nobody has checked the file completely since a process ended uncleanly, or for a week, or ever. */
export function completeCheckDue(path: string, now: number): boolean {
  if (readDoubt(path) !== null) return true;
  const checked = statSync(checkedFile(path), { throwIfNoEntry: false });
  return !checked || now - checked.mtimeMs > checkedForMs;
}
