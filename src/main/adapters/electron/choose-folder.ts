import { dialog, type BrowserWindow } from 'electron';

/** Opens the system's folder picker; null when the user cancels. */
export async function chooseFolder(window: BrowserWindow): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, {
    title: 'Choose a project folder',
    buttonLabel: 'Use this folder',
    properties: ['openDirectory', 'createDirectory'],
  });
  return canceled ? null : (filePaths[0] ?? null);
}

/**
 * Opens the system's file picker for a file of server configurations. Shows hidden files, because `.mcp.json`
 * begins with a dot.
 */
export async function chooseFile(window: BrowserWindow): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, {
    title: 'Choose a file with MCP servers',
    buttonLabel: 'Preview',
    properties: ['openFile', 'showHiddenFiles'],
    filters: [{ name: 'JSON', extensions: ['json'] }],
  });
  return canceled ? null : (filePaths[0] ?? null);
}
