import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** On systems that can: what a folder holds is on disk as well. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // Windows cannot open a folder; there the rename itself is durable enough.
  }
}

function writeDraft(file: string, content: string | Uint8Array): string {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID()}.tmp`);
  const handle = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(handle, content);
    fsyncSync(handle);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
  return draft;
}

/** Whole or not at all, flushed before it takes its name. Throws what the file system throws. */
export function writeFileAtomic(file: string, content: string | Uint8Array): void {
  const draft = writeDraft(file, content);
  try {
    renameSync(draft, file);
    syncFolder(path.dirname(file));
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The same for a file that must not be there yet; false when it is. */
export function writeNew(file: string, content: string | Uint8Array): boolean {
  const draft = writeDraft(file, content);
  try {
    linkSync(draft, file);
    syncFolder(path.dirname(file));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
