import { join } from 'node:path';
import { app, clipboard, dialog, nativeTheme, type BrowserWindow } from 'electron';
import type { AppError } from '#shared/app-error';
import { declareAppScheme, serveApp } from './adapters/electron/app-protocol';
import { chooseFolder } from './adapters/electron/choose-folder';
import { createElectronHost } from './adapters/electron/electron-host';
import { openLink } from './adapters/electron/external-link';
import { sendPush, serveIpc } from './adapters/electron/ipc-border';
import { createMainWindow } from './adapters/electron/main-window';
import { patinaHome } from './adapters/system/patina-home';
import { secureEverything } from './adapters/electron/window-security';
import { createSystemClock } from './adapters/system/system-clock';
import type { App } from './app';
import { compose } from './compose';
import { createDispatch } from './ipc/dispatch';
import { createHandlers } from './ipc/handlers';
import { createPushChannel } from './ipc/push-channel';
import { pushEverything } from './ipc/push-everything';

const bundle = import.meta.dirname;
let window: BrowserWindow | null = null;
let patina: App | null = null;

function setupBeforeReady(home: string): void {
  // Node ignores this signal, Electron does not: under a file size limit a write shall fail, not end the app.
  process.on('SIGXFSZ', () => undefined);
  // Chromium's own files live beside Patina's, and the single-instance lock is per home.
  app.setPath('userData', join(home, 'electron'));
  // Root on Linux runs with --no-sandbox, which this call would contradict; everyone else gets it for every renderer.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  declareAppScheme();
}

function openWindow(core: App): void {
  window = createMainWindow({
    preload: join(bundle, '../preload/index.cjs'),
    settings: core.settings.get(),
    saveBounds: (bounds) => core.settings.patch({ window: bounds }),
  });
  window.on('closed', () => (window = null));
}

function setupIpc(core: App): void {
  const channel = createPushChannel((batch) => sendPush(window, batch), createSystemClock());
  const handlers = createHandlers(core, {
    chooseFolder: () => (window ? chooseFolder(window) : Promise.resolve(null)),
    openLink: (url) => (window ? openLink(window, url) : Promise.resolve(false)),
    writeClipboard: (text) => {
      // Typed as void in one Electron and as a promise in another; nothing here waits for either.
      void clipboard.writeText(text);
    },
  });
  serveIpc({ window: () => window, dispatch: createDispatch(handlers), acknowledge: channel.acknowledge });
  pushEverything(core, channel);
  core.settings.onChange(({ theme }) => {
    nativeTheme.themeSource = theme;
  });
}

/** A second start, or a link of any kind, shows the window and does nothing else with what it was given. */
function setupSingleInstance(): void {
  const show = (): void => {
    if (window?.isMinimized()) window.restore();
    window?.focus();
  };
  app.on('second-instance', show);
  app.on('open-url', (event) => {
    event.preventDefault();
    show();
  });
  app.on('activate', () => {
    if (patina && !window) openWindow(patina);
    else show();
  });
}

function setupQuit(): void {
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  // Work under way is recorded as stopped before the process ends.
  app.on('will-quit', (event) => {
    if (!patina) return;
    event.preventDefault();
    const closing = patina;
    patina = null;
    void closing.close().finally(() => app.exit(0));
  });
}

/** A configuration nothing can start on: named in full, then the end. */
function refuseToStart(error: AppError): void {
  const problems = (error.problems ?? []).map((row) => `${row.file}\n  ${row.field}: ${row.reason}`);
  dialog.showErrorBox('Patina cannot start', [error.message, ...problems, error.hint ?? ''].join('\n'));
  app.exit(3);
}

async function start(home: string): Promise<void> {
  await app.whenReady();
  secureEverything();
  serveApp(join(bundle, '../renderer'));
  const composed = compose(createElectronHost(bundle, home));
  if (!composed.ok) {
    refuseToStart(composed.error);
    return;
  }
  patina = composed.value;
  setupIpc(patina);
  openWindow(patina);
}

const home = patinaHome(process.env);
if (!home.ok) {
  refuseToStart(home.error);
} else {
  setupBeforeReady(home.value);
  if (app.requestSingleInstanceLock()) {
    setupSingleInstance();
    setupQuit();
    void start(home.value);
  } else {
    app.quit();
  }
}
