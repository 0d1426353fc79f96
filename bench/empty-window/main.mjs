import path from 'node:path';
import { app, BrowserWindow } from 'electron';

// The smallest possible window with the same protections as Patina's: the baseline that Patina is measured against.
app.setPath('userData', path.join(process.env.PATINA_HOME ?? app.getPath('temp'), 'electron'));
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
app.on('window-all-closed', () => app.quit());

async function openWindow() {
  await app.whenReady();
  const window = new BrowserWindow({
    width: 1280,
    height: 820,
    show: false,
    autoHideMenuBar: true,
    webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false, spellcheck: false },
  });
  window.once('ready-to-show', () => window.show());
  await window.loadFile(path.join(import.meta.dirname, 'index.html'));
}

void openWindow();
