import {
  ipcMain,
  type BrowserWindow,
  type IpcMainEvent,
  type IpcMainInvokeEvent,
  type WebContents,
} from 'electron';
import type { AppError } from '#shared/app-error';
import { ipcChannels } from '#shared/ipc-channels';
import type { PushBatch } from '#shared/ipc';
import { err, type Result } from '#shared/result';
import { appOrigin } from './window-security';

export interface IpcBoundary {
  /** The app's window with these web contents. */
  readonly windowWith: (contents: WebContents) => BrowserWindow | null;
  readonly dispatch: (name: unknown, input: unknown) => Promise<Result<unknown>>;
  readonly acknowledge: (windowId: number, batch: number) => void;
}

/** A literal, because the schemas behind the error builder are not loaded before the first paint. */
const notTrusted: AppError = {
  kind: 'HOST',
  code: 'INVALID_INPUT',
  message: 'This frame may not call the app.',
  retryable: false,
};

/** Accepts only the top frame of a window of the app while it shows the app's own page. */
function isTrusted(
  { sender, senderFrame: frame }: IpcMainEvent | IpcMainInvokeEvent,
  { windowWith }: IpcBoundary,
): boolean {
  if (!frame || !windowWith(sender)) return false;
  return frame === sender.mainFrame && frame.url.startsWith(`${appOrigin}/`);
}

/** The only IPC entry point: checks the sender of every call first, then its name and payload. */
export function serveIpc(boundary: IpcBoundary): void {
  ipcMain.handle(ipcChannels.invoke, (event, name: unknown, input: unknown) =>
    isTrusted(event, boundary) ? boundary.dispatch(name, input) : err(notTrusted),
  );
  ipcMain.on(ipcChannels.ack, (event, batch: unknown) => {
    if (isTrusted(event, boundary) && typeof batch === 'number') boundary.acknowledge(event.sender.id, batch);
  });
}

export function sendPush(window: BrowserWindow | null, batch: PushBatch): void {
  if (window && !window.isDestroyed()) window.webContents.send(ipcChannels.push, batch);
}
