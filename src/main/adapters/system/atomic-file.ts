import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Flushes a folder's entries to disk, on systems that can. */
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

/** Writes a file atomically and flushes it before the rename. Throws file system errors. */
export function writeFileAtomic(file: string, content: string | Uint8Array): void {
  const draft = writeDraft(file, content);
  try {
    renameSync(draft, file);
    syncFolder(path.dirname(file));
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The same for a file that must not exist yet; false when it does. */
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
