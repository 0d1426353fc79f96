import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { otherUser } from '../storage/database-users';
import { processAlive } from '../system/process-alive';
import { databaseName, isBackedUp, manifestName } from './backup-manifest';
import { readyFolder } from './stage-restore';

/** What a prepared restore says of itself: when it was prepared, and the entries it brings. */
const Prepared = z.object({ at: z.number().int(), top: z.array(z.string()) });

/** The database's log and lock files have no meaning without the database that they belong to. */
const ofDatabase = /^sessions\.db.+/;

/**
 * Puts a prepared restore in place, before anything of the home is open: each present entry is moved aside, never
 * deleted, then the restored one takes its place. A process that is killed in between leaves a state from which the
 * next start goes on. Returns the folder with what was there before, or null when there was nothing to restore.
 * Throws file system errors.
 */
export function finishRestore(home: string, rename = renameSync): string | null {
  const ready = readyFolder(home);
  if (!existsSync(join(ready, manifestName))) return null;
  const { at, top } = Prepared.parse(JSON.parse(readFileSync(join(ready, manifestName), 'utf8')));
  const aside = join(home, `before-restore-${new Date(at).toISOString().replaceAll(/[:.]/g, '-')}`);
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  const moveAside = (name: string): void => {
    if (existsSync(join(home, name)) && !existsSync(join(aside, name)))
      rename(join(home, name), join(aside, name));
  };
  const present = readdirSync(home);
  if (existsSync(join(ready, databaseName)) || !top.includes(databaseName))
    for (const name of present.filter((each) => ofDatabase.test(each))) moveAside(name);
  for (const name of present) if (isBackedUp(name) && !top.includes(name)) moveAside(name);
  for (const name of top) {
    if (!existsSync(join(ready, name))) continue;
    moveAside(name);
    rename(join(ready, name), join(home, name));
  }
  rmSync(ready, { recursive: true });
  return aside;
}

/**
 * `finishRestore` at the start of a process, unless another process uses the home. Errors: HOST/STORAGE with the
 * obstacle; the next start tries again.
 */
export function finishRestoreAtStart(home: string): Result<string | null> {
  try {
    if (otherUser(join(home, databaseName), process.pid, processAlive) !== null) return ok(null);
    return ok(finishRestore(home));
  } catch (error) {
    const message = `The backup in ${readyFolder(home)} could not be put in place: ${(error as Error).message}`;
    const hint =
      'Free the folder or the disk and start again, or move that folder away to continue without it.';
    return err(appError('HOST', 'STORAGE', message, { hint }));
  }
}
