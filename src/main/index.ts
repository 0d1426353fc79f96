import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { app, clipboard, dialog, nativeTheme, type BrowserWindow } from 'electron';
import { declareAppScheme, serveApp } from './adapters/electron/app-protocol';
import { ok } from '#shared/result';
import { chooseFile, chooseFolder } from './adapters/electron/choose-folder';
import { saveFile } from './adapters/electron/save-file';
import { confirmDelete } from './adapters/electron/confirm-delete';
import { openLink } from './adapters/electron/external-link';
import { sendPush, serveIpc } from './adapters/electron/ipc-boundary';
import { createMainWindow } from './adapters/electron/main-window';
import { secureEverything } from './adapters/electron/window-security';
import { readWindowBootSettings } from './adapters/settings/window-boot-settings';
import { canWrite, makeHomeFolder } from './adapters/system/home-folder';
import type { DesktopCore } from './compose/desktop';

// Everything here runs before the first picture: nothing that is not needed for it is imported, only loaded later.
const bundle = import.meta.dirname;
let window: BrowserWindow | null = null;
let core: Promise<DesktopCore> | null = null;
let refused = false;

/** Where Chromium keeps its own files: beside Patina's, or among the temporary ones while Patina's folder can only be read. */
function chromiumFolder(home: string): string {
  if (canWrite(home)) return join(home, 'electron');
  const folder = mkdtempSync(join(tmpdir(), 'patina-electron-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function setupBeforeReady(home: string): void {
  // Node ignores this signal, Electron does not: under a file size limit a write shall fail, not end the app.
  process.on('SIGXFSZ', () => undefined);
  // The single-instance lock is per home that can be written.
  app.setPath('userData', chromiumFolder(home));
  // Root on Linux runs with --no-sandbox, which this call would contradict; everyone else gets it for every renderer.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  declareAppScheme();
}

function openWindow(home: string, onShown: () => void): void {
  window = createMainWindow({
    onShown,
    preload: join(bundle, '../preload/index.cjs'),
    settings: readWindowBootSettings(home),
    saveBounds: (bounds) => void core?.then(({ saveBounds }) => saveBounds(bounds)),
  });
  window.on('closed', () => (window = null));
}

/** Loads and builds what is behind the window. */
async function startCore(home: string): Promise<DesktopCore> {
  const { composeDesktop } = await import('./compose/desktop');
  const built = composeDesktop({
    bundle,
    home,
    desktop: {
      chooseFolder: () => (window ? chooseFolder(window) : Promise.resolve(null)),
      chooseFile: () => (window ? chooseFile(window) : Promise.resolve(null)),
      saveFile: (name, content) => (window ? saveFile(window, name, content) : Promise.resolve(ok(null))),
      confirmDelete: (title) => (window ? confirmDelete(window, title) : Promise.resolve(false)),
      openLink: (url) => (window ? openLink(window, url) : Promise.resolve(false)),
      writeClipboard: (text) => {
        // Typed as void in one Electron and as a promise in another; nothing here waits for either.
        void clipboard.writeText(text);
      },
      quit: () => app.quit(),
      restart: (withoutPacks) => {
        // The new process takes over this one's environment: for that one start the packs are left out.
        process.env['PATINA_WITHOUT_PACKS'] = withoutPacks.join(',');
        app.relaunch();
        app.quit();
      },
    },
    send: (batch) => sendPush(window, batch),
    onTheme: (theme) => {
      nativeTheme.themeSource = theme;
    },
  });
  refused = built.refused;
  return built;
}

/** What the window asks before the core stands waits for it. */
function setupIpc(answering: Promise<DesktopCore>): void {
  serveIpc({
    window: () => window,
    dispatch: async (name, input) => (await answering).dispatch(name, input),
    acknowledge: (batch) => void answering.then(({ acknowledge }) => acknowledge(batch)),
  });
}

/** A second start, or a link of any kind, shows the window and does nothing else with what it was given. */
function setupSingleInstance(home: string): void {
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
    if (core && !window) openWindow(home, () => undefined);
    else show();
  });
}

function setupQuit(): void {
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin' || refused) app.quit();
  });
  // Work under way is recorded as stopped before the process ends.
  app.on('will-quit', (event) => {
    if (!core) return;
    event.preventDefault();
    const closing = core;
    core = null;
    void closing.then(({ close }) => close()).finally(() => app.exit(refused ? 3 : 0));
  });
}

/** What goes wrong before there can be a window, or because of a fault in Patina itself: said by the system, then the end. */
function endWith(reason: string, code: number): void {
  dialog.showErrorBox('Patina cannot start', reason);
  app.exit(code);
}

/**
 * Opens the window, and builds what is behind it once the window is there: showing it and passing on its first keys is
 * this thread's work, too.
 */
async function start(home: string): Promise<void> {
  await app.whenReady();
  secureEverything();
  serveApp(join(bundle, '../renderer'));
  const shown = new Promise<void>((resolve) => openWindow(home, resolve));
  core = shown.then(() => startCore(home));
  core.catch((fault: unknown) =>
    endWith(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault), 1),
  );
  setupIpc(core);
}

const { home, obstacle } = makeHomeFolder(process.env);
if (obstacle !== null) {
  endWith(
    `Patina's folder ${home} cannot be made: ${obstacle}\nSet PATINA_HOME to a folder you can write to.`,
    3,
  );
} else {
  setupBeforeReady(home);
  if (app.requestSingleInstanceLock()) {
    setupSingleInstance(home);
    setupQuit();
    void start(home);
  } else {
    app.quit();
  }
}
