import { Menu, nativeImage, Tray } from 'electron';
import { nativeTexts } from './native-texts';

export interface TrayActions {
  readonly onOpen: () => void;
  readonly onAsk: () => void;
  readonly onQuit: () => void;
}

/** In pixels; the system scales it to its own size. */
const iconSize = 22;

let tray: Tray | null = null;

/** Whether Patina is in the system tray, and so keeps working without a window. */
export const isInTray = (): boolean => tray !== null;

/** Shows or hides the icon in the system tray. `iconFile`: a PNG. */
export function showTray(shown: boolean, iconFile: string, { onOpen, onAsk, onQuit }: TrayActions): void {
  tray?.destroy();
  tray = null;
  if (!shown) return;
  const { open, ask } = nativeTexts().tray;
  const icon = nativeImage.createFromPath(iconFile).resize({ width: iconSize, height: iconSize });
  tray = new Tray(icon);
  tray.setToolTip('Patina');
  tray.setContextMenu(
    Menu.buildFromTemplate([
      { label: open, click: onOpen },
      { label: ask, click: onAsk },
      { type: 'separator' },
      { label: nativeTexts().menu.quit, click: onQuit },
    ]),
  );
  tray.on('click', onOpen);
}
