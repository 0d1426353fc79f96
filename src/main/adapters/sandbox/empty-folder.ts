import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;

/** An empty working folder that all workers of this process share; removed when the process exits. */
export function emptyFolder(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), 'patina-sandbox-'));
  process.once('exit', () => {
    try {
      rmdirSync(made);
    } catch {
      // The folder contains a file of another program, which is not ours to delete.
    }
  });
  folder = made;
  return made;
}
