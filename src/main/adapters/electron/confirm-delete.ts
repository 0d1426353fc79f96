import { dialog, type BrowserWindow } from 'electron';

/** The part of a title that fits into a dialog. */
const titleLength = 80;

/** Confirms the deletion of a session in a native dialog, which no page can imitate or answer. */
export async function confirmDelete(window: BrowserWindow, title: string): Promise<boolean> {
  const name = title.length > titleLength ? `${title.slice(0, titleLength)}…` : title;
  const { response } = await dialog.showMessageBox(window, {
    type: 'warning',
    message: `Delete “${name || 'New session'}” permanently?`,
    detail:
      'This removes its messages, runs and saved permissions from this computer and cannot be undone. Files and artifacts in project folders are kept.',
    buttons: ['Delete', 'Keep it'],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  });
  return response === 0;
}
