import { app, dialog } from 'electron';
import { nativeTexts } from './native-texts';

/**
 * Reports errors that nothing in main caught, one message at a time. Electron's own message would stop main, and
 * with it every run and window, until the user answers it.
 */
export function reportFaults(): void {
  let shown = false;
  process.on('uncaughtException', (error) => {
    console.error('An error in Patina was not handled.', error);
    const { message, detail, close } = nativeTexts().fault;
    if (!app.isReady()) {
      // No window and no run exists yet that this could stop.
      dialog.showErrorBox(message, error.stack ?? error.message);
      return;
    }
    if (shown) return;
    shown = true;
    void dialog
      .showMessageBox({
        type: 'error',
        message,
        detail: `${detail}\n\n${error.stack ?? error.message}`,
        buttons: [close],
        noLink: true,
      })
      .finally(() => {
        shown = false;
      });
  });
}
