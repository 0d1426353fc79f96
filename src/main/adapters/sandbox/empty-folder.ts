import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;

/** A working folder with nothing in it, one for all workers of this process; it goes when we do. */
export function emptyFolder(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), 'patina-sandbox-'));
  process.once('exit', () => {
    try {
      rmdirSync(made);
    } catch {
      // Someone else's file in it: not ours to delete.
    }
  });
  folder = made;
  return made;
}
