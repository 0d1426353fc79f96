import { app, type BrowserWindow } from 'electron';
import { looksBlank } from './looks-blank';

/** By then another GPU process has drawn the window, or will not. */
const settledMs = 1_500;
/** Chromium gives the app up when this process dies too often; it is ended by us once in this time at most. */
const notAgainMs = 60_000;

async function showsNothing(window: BrowserWindow): Promise<boolean> {
  if (window.isDestroyed() || !window.isVisible() || window.isMinimized()) return false;
  const picture = await window.webContents.capturePage();
  return !picture.isEmpty() && looksBlank(picture.toBitmap());
}

function endGpuProcess(): void {
  const gpu = app.getAppMetrics().find(({ type }) => type === 'GPU');
  if (gpu) process.kill(gpu.pid, 'SIGKILL');
}

/**
 * After a crash of the GPU process Chromium starts another, which in a few of a hundred cases draws the window without its
 * text and keeps doing so, through repaints and reloads. One started after that one draws it whole.
 */
export function redrawAfterGpuCrash(window: BrowserWindow): void {
  let last = -Infinity;
  const check = async (): Promise<void> => {
    if (performance.now() - last < notAgainMs || !(await showsNothing(window))) return;
    last = performance.now();
    endGpuProcess();
  };
  const onGone = (_event: unknown, { type }: { readonly type: string }): void => {
    // A window that closes meanwhile has no picture, and needs none.
    if (type === 'GPU') setTimeout(() => void check().catch(() => undefined), settledMs);
  };
  app.on('child-process-gone', onGone);
  window.once('closed', () => app.off('child-process-gone', onGone));
}
