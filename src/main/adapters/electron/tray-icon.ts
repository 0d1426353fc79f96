import { execFile } from 'node:child_process';
import { Menu, nativeImage, Tray, type NativeImage } from 'electron';
import { nativeTexts } from './native-texts';

export interface TrayActions {
  readonly onOpen: () => void;
  readonly onAsk: () => void;
  readonly onQuit: () => void;
}

/** In pixels of a display without scaling; the system scales it to its own size. */
const iconSize = 22;
/** Of displays, from usual to dense. */
const scales = [1, 2, 3];

/** The picture in the sizes of the tray, so that it is sharp on a dense display too. */
function iconOf(file: string): NativeImage {
  const picture = nativeImage.createFromPath(file);
  const icon = nativeImage.createEmpty();
  for (const scaleFactor of scales) {
    const size = iconSize * scaleFactor;
    const buffer = picture.resize({ width: size, height: size, quality: 'best' }).toPNG();
    icon.addRepresentation({ scaleFactor, width: size, height: size, buffer });
  }
  return icon;
}

/** Asks the session bus whether a panel shows the icons of apps. */
const hostQuestion = [
  '--session',
  '--print-reply',
  '--dest=org.kde.StatusNotifierWatcher',
  '/StatusNotifierWatcher',
  'org.freedesktop.DBus.Properties.Get',
  'string:org.kde.StatusNotifierWatcher',
  'string:IsStatusNotifierHostRegistered',
];
const hostAnswerMs = 2_000;

/** Whether the desktop shows icons in a tray now. A Linux desktop that does not say so counts as one without. */
export function hasTrayHost(): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(true);
  return new Promise((resolve) => {
    execFile('dbus-send', hostQuestion, { timeout: hostAnswerMs }, (error, answer) =>
      resolve(error === null && answer.includes('boolean true')),
    );
  });
}

let tray: Tray | null = null;

/** Whether Patina is in the system tray, and so keeps working without a window. */
export const isInTray = (): boolean => tray !== null;

/** Shows or hides the icon in the system tray. `iconFile`: a PNG. */
export function showTray(shown: boolean, iconFile: string, { onOpen, onAsk, onQuit }: TrayActions): void {
  tray?.destroy();
  tray = null;
  if (!shown) return;
  const { open, ask } = nativeTexts().tray;
  tray = new Tray(iconOf(iconFile));
  tray.setToolTip('Patina');
  tray.setContextMenu(
    Menu.buildFromTemplate([
      { label: open, click: onOpen },
      { label: ask, click: onAsk },
      { type: 'separator' },
      { label: nativeTexts().menu.quit, click: onQuit },
    ]),
  );
  // On macOS a click opens the menu; a window would open with it.
  if (process.platform !== 'darwin') tray.on('click', onOpen);
}
