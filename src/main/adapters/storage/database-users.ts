import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Which processes have the database open, as files named by their ids in a folder beside it. SQLite's own locks cannot be asked
 * about a damaged file: asking would make it repair, and so change, what is to be kept as it is.
 */
const usersFolder = (path: string): string => `${path}.users`;

export function enterDatabase(path: string, pid: number): void {
  mkdirSync(usersFolder(path), { recursive: true });
  writeFileSync(join(usersFolder(path), String(pid)), '');
}

export function leaveDatabase(path: string, pid: number): void {
  try {
    rmSync(join(usersFolder(path), String(pid)), { force: true });
  } catch {
    // A file left behind names a process that is gone, and counts for nothing.
  }
}

/** Another living process that has the database open, if there is one; files of dead ones are removed. */
export function otherUser(path: string, pid: number, alive: (pid: number) => boolean): number | null {
  mkdirSync(usersFolder(path), { recursive: true });
  const others = readdirSync(usersFolder(path)).map(Number);
  for (const other of others.filter((id) => id !== pid)) {
    if (alive(other)) return other;
    leaveDatabase(path, other);
  }
  return null;
}
