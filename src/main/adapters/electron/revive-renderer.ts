import { app, dialog, type BrowserWindow } from 'electron';

/** A window whose process ends again this soon is not loaded once more by itself: it might go on so for ever. */
const tooSoonMs = 3_000;

async function askToLoad(window: BrowserWindow): Promise<void> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'error',
    message: 'The window stopped working twice within seconds.',
    detail:
      'What you sent is saved, and a run that is under way goes on. If it stops again, quit and start Patina anew.',
    buttons: ['Load the window again', 'Quit Patina'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  if (response === 1) app.quit();
  else if (!window.isDestroyed()) window.webContents.reload();
}

/** A renderer that died is loaded again, the second time within seconds only if the user says so; the sessions are in main, so nothing is lost. */
export function reviveRenderer(window: BrowserWindow): void {
  let last = -Infinity;
  window.webContents.on('render-process-gone', (_event, details) => {
    if (details.reason === 'clean-exit') return;
    const tooSoon = performance.now() - last < tooSoonMs;
    last = performance.now();
    if (tooSoon) void askToLoad(window);
    else window.webContents.reload();
  });
}
