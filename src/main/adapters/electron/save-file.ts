import path from 'node:path';
import { dialog, type BrowserWindow } from 'electron';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { writeFileAtomic } from '../system/atomic-file';

/**
 * Turns any proposed name into a valid file name: the last path segment, without characters that some system
 * forbids.
 */
const fileName = (proposed: string): string =>
  path.basename(proposed.replaceAll(/[\u0000-\u001f<>:"|?*\\]/g, '_')) || 'artifact.txt';

/**
 * Asks for a destination in the system's dialog and writes the file atomically. Returns the path, or null
 * when the user cancels. Errors: HOST/STORAGE.
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
