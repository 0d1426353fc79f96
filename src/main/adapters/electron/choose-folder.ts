import { dialog, type BrowserWindow, type OpenDialogOptions } from 'electron';

/** The path that the user chooses in the system's dialog; null when the user cancels. */
async function choose(window: BrowserWindow, options: OpenDialogOptions): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, options);
  return canceled ? null : (filePaths[0] ?? null);
}

/** Opens the system's folder picker; null when the user cancels. */
export const chooseFolder = (window: BrowserWindow): Promise<string | null> =>
  choose(window, {
    title: 'Choose a project folder',
    buttonLabel: 'Use this folder',
    properties: ['openDirectory', 'createDirectory'],
  });

/**
 * Opens the system's file picker for a file of server configurations. Shows hidden files, because `.mcp.json`
 * begins with a dot.
 */
export const chooseFile = (window: BrowserWindow): Promise<string | null> =>
  choose(window, {
    title: 'Choose a file with MCP servers',
    buttonLabel: 'Preview',
    properties: ['openFile', 'showHiddenFiles'],
    filters: [{ name: 'JSON', extensions: ['json'] }],
  });

/** Opens the system's file picker for conversations to import. */
export const chooseChats = (window: BrowserWindow): Promise<string | null> =>
  choose(window, {
    title: 'Choose conversations to import',
    buttonLabel: 'Preview',
    properties: ['openFile'],
    filters: [{ name: 'Conversations', extensions: ['json', 'zip'] }],
  });

/** Opens the system's file picker for a backup. */
export const chooseBackup = (window: BrowserWindow): Promise<string | null> =>
  choose(window, {
    title: 'Choose a backup of Patina',
    buttonLabel: 'Check this backup',
    properties: ['openFile'],
    filters: [{ name: 'Backups', extensions: ['zip'] }],
  });

/** Asks where to save a backup; null when the user cancels. */
export async function placeBackup(window: BrowserWindow): Promise<string | null> {
  const day = new Date().toISOString().slice(0, 10);
  const defaultPath = `patina-backup-${day}.zip`;
  const { canceled, filePath } = await dialog.showSaveDialog(window, { defaultPath });
  return canceled || !filePath ? null : filePath;
}
