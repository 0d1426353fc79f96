import { ipcMain, type BrowserWindow, type IpcMainEvent, type IpcMainInvokeEvent } from 'electron';
import type { AppError } from '#shared/app-error';
import { ipcChannels } from '#shared/ipc-channels';
import type { PushBatch } from '#shared/ipc';
import { err, type Result } from '#shared/result';
import { appOrigin } from './window-security';

export interface IpcBoundary {
  readonly window: () => BrowserWindow | null;
  readonly dispatch: (name: unknown, input: unknown) => Promise<Result<unknown>>;
  readonly acknowledge: (batch: number) => void;
}

/** Written out: the schemas that come with the error's builder are not loaded before the first picture. */
const notTrusted: AppError = {
  kind: 'HOST',
  code: 'INVALID_INPUT',
  message: 'This frame may not call the app.',
  retryable: false,
};

/** Only the top frame of the main window, showing the app's own page, may speak. */
function isTrusted(event: IpcMainEvent | IpcMainInvokeEvent, window: BrowserWindow | null): boolean {
  const frame = event.senderFrame;
  if (!window || !frame || event.sender !== window.webContents) return false;
  return frame === window.webContents.mainFrame && frame.url.startsWith(`${appOrigin}/`);
}

/** The one way in: every call passes here, sender first, then name and payload. */
export function serveIpc(boundary: IpcBoundary): void {
  ipcMain.handle(ipcChannels.invoke, (event, name: unknown, input: unknown) =>
    isTrusted(event, boundary.window()) ? boundary.dispatch(name, input) : err(notTrusted),
  );
  ipcMain.on(ipcChannels.ack, (event, batch: unknown) => {
    if (isTrusted(event, boundary.window()) && typeof batch === 'number') boundary.acknowledge(batch);
  });
}

export function sendPush(window: BrowserWindow | null, batch: PushBatch): void {
  if (window && !window.isDestroyed()) window.webContents.send(ipcChannels.push, batch);
}
