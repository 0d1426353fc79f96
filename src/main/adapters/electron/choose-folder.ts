import { dialog, type BrowserWindow } from 'electron';

/** The system's own folder picker; nothing when it was left without a choice. */
export async function chooseFolder(window: BrowserWindow): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, {
    title: 'Choose a project folder',
    buttonLabel: 'Use this folder',
    properties: ['openDirectory', 'createDirectory'],
  });
  return canceled ? null : (filePaths[0] ?? null);
}

/** The system's own file picker, for a file of server configurations; `.mcp.json` begins with a dot and is shown. */
export async function chooseFile(window: BrowserWindow): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, {
    title: 'Choose a file of MCP servers',
    buttonLabel: 'Look at it',
    properties: ['openFile', 'showHiddenFiles'],
    filters: [{ name: 'JSON', extensions: ['json'] }],
  });
  return canceled ? null : (filePaths[0] ?? null);
}
