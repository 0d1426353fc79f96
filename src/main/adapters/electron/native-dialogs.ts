import path from 'node:path';
import { dialog, type BrowserWindow, type OpenDialogOptions } from 'electron';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { writeFileAtomic } from '../system/atomic-file';
import { nativeTexts } from './native-texts';
import { codeOf, writeHint } from '../system/file-error';

/** The part of a title that fits into a dialog. */
const titleLength = 80;

/** Confirms the deletion of a session in a native dialog, which no page can imitate or answer. */
export async function confirmDelete(window: BrowserWindow, title: string): Promise<boolean> {
  const name = title.length > titleLength ? `${title.slice(0, titleLength)}…` : title;
  const { remove } = nativeTexts();
  const { response } = await dialog.showMessageBox(window, {
    type: 'warning',
    message: remove.question(name),
    detail: remove.detail,
    buttons: [remove.delete, remove.cancel],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  });
  return response === 0;
}

/** The path that the user chooses in the system's dialog; null when the user cancels. */
async function choose(window: BrowserWindow, options: OpenDialogOptions): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, options);
  return canceled ? null : (filePaths[0] ?? null);
}

/** Opens the system's folder picker; null when the user cancels. */
export const chooseFolder = (window: BrowserWindow): Promise<string | null> =>
  choose(window, {
    title: nativeTexts().folder.title,
    buttonLabel: nativeTexts().folder.button,
    properties: ['openDirectory', 'createDirectory'],
  });

/**
 * Opens the system's file picker for a file of server configurations. Shows hidden files, because `.mcp.json`
 * begins with a dot.
 */
export const chooseFile = (window: BrowserWindow): Promise<string | null> =>
  choose(window, {
    title: nativeTexts().servers.title,
    buttonLabel: nativeTexts().servers.button,
    properties: ['openFile', 'showHiddenFiles'],
    filters: [{ name: 'JSON', extensions: ['json'] }],
  });

/** Opens the system's file picker for conversations to import. */
export const chooseChats = (window: BrowserWindow): Promise<string | null> =>
  choose(window, {
    title: nativeTexts().chats.title,
    buttonLabel: nativeTexts().chats.button,
    properties: ['openFile'],
    filters: [{ name: nativeTexts().chats.files, extensions: ['json', 'zip'] }],
  });

/** Opens the system's file picker for the file of a model. */
export const chooseModelFile = (window: BrowserWindow): Promise<string | null> =>
  choose(window, {
    title: nativeTexts().model.title,
    buttonLabel: nativeTexts().model.button,
    properties: ['openFile'],
    filters: [{ name: nativeTexts().model.files, extensions: ['gguf'] }],
  });

/** Opens the system's file picker for a backup. */
export const chooseBackup = (window: BrowserWindow): Promise<string | null> =>
  choose(window, {
    title: nativeTexts().backup.title,
    buttonLabel: nativeTexts().backup.button,
    properties: ['openFile'],
    filters: [{ name: nativeTexts().backup.files, extensions: ['zip'] }],
  });

/** Opens the system's folder picker for a pack; null when the user cancels. */
export const choosePack = (window: BrowserWindow): Promise<string | null> =>
  choose(window, {
    title: nativeTexts().pack.title,
    buttonLabel: nativeTexts().pack.button,
    properties: ['openDirectory'],
  });

/** Asks where to save a backup; null when the user cancels. */
export async function placeBackup(window: BrowserWindow): Promise<string | null> {
  const day = new Date().toISOString().slice(0, 10);
  const defaultPath = `patina-backup-${day}.zip`;
  const { canceled, filePath } = await dialog.showSaveDialog(window, { defaultPath });
  return canceled || !filePath ? null : filePath;
}

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
    const hint = writeHint(error, 'Choose another folder.');
    return err(appError('HOST', 'STORAGE', `${filePath} could not be written (${codeOf(error)}).`, { hint }));
  }
}
