import path from 'node:path';
import { dialog, type BrowserWindow } from 'electron';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { writeFileAtomic } from '../system/atomic-file';

/** A name for a file, whatever was proposed: the last part of a path, without what some system forbids in names. */
const fileName = (proposed: string): string =>
  path.basename(proposed.replaceAll(/[\u0000-\u001f<>:"|?*\\]/g, '_')) || 'artifact.txt';

/**
 * Asks with the system's own dialog where something should go, and writes it there, whole or not at all. Gives the path, null
 * when nothing was chosen. HOST/STORAGE.
 */
export async function saveFile(
  window: BrowserWindow,
  name: string,
  content: string | Uint8Array,
): Promise<Result<string | null>> {
  const { canceled, filePath } = await dialog.showSaveDialog(window, { defaultPath: fileName(name) });
  if (canceled || !filePath) return ok(null);
  try {
    writeFileAtomic(filePath, content);
    return ok(filePath);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    const hint = code === 'ENOSPC' ? 'The disk is full.' : 'Choose another folder.';
    return err(appError('HOST', 'STORAGE', `${filePath} could not be written (${code}).`, { hint }));
  }
}
