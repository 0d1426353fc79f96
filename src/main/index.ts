import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { app, clipboard, dialog, nativeTheme, type BrowserWindow } from 'electron';
import { declareAppScheme, serveApp } from './adapters/electron/app-protocol';
import { ok } from '#shared/result';
import {
  chooseBackup,
  chooseChats,
  chooseModelFile,
  chooseFile,
  chooseFolder,
  placeBackup,
  saveFile,
  confirmDelete,
} from './adapters/electron/native-dialogs';
import { finishRestoreAtStart } from './adapters/backup/finish-restore';
import { createDiagramWindows } from './adapters/electron/diagram-window';
import { openLink, openPage } from './adapters/electron/external-link';
import { sendPush, serveIpc } from './adapters/electron/ipc-boundary';
import { createMainWindow, showInLanguage, zoomTo } from './adapters/electron/main-window';
import { isAway, notifyUser, showBadge } from './adapters/electron/system-notification';
import { secureEverything } from './adapters/electron/window-security';
import { createPictureLoader } from './adapters/pictures/load-picture';
import { readWindowBootSettings } from './adapters/settings/window-boot-settings';
import { canWrite, makeHomeFolder } from './adapters/system/home-folder';
import type { DesktopCore } from './compose/desktop';

// Everything here runs before the first paint: import only what that needs and load the rest later.
const bundle = import.meta.dirname;
let window: BrowserWindow | null = null;
let core: Promise<DesktopCore> | null = null;
let refused = false;
/** Runs when the user leaves the window. */
let onLeft = (): void => undefined;

/**
 * The folder of Chromium's own files: beside Patina's, or a temporary one while Patina's folder is read-only.
 */
function chromiumFolder(home: string): string {
  if (canWrite(home)) return join(home, 'electron');
  const folder = mkdtempSync(join(tmpdir(), 'patina-electron-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function setupBeforeReady(home: string): void {
  // Node ignores this signal, Electron does not: under a file size limit, a write must fail without ending
  // the app.
  process.on('SIGXFSZ', () => undefined);
  // The single-instance lock is per writable home folder.
  app.setPath('userData', chromiumFolder(home));
  // Root on Linux runs with --no-sandbox, which this call would contradict; for all other users it sandboxes
  // every renderer.
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
  for (const left of ['blur', 'minimize', 'hide'] as const) window.on(left as 'blur', () => onLeft());
}

function showWindow(): void {
  if (window?.isMinimized()) window.restore();
  window?.show();
  window?.focus();
}

/** Loads and builds the core behind the window. */
async function startCore(home: string): Promise<DesktopCore> {
  const { composeDesktop } = await import('./compose/desktop');
  const built = composeDesktop({
    bundle,
    home,
    desktop: {
      chooseFolder: () => (window ? chooseFolder(window) : Promise.resolve(null)),
      chooseFile: () => (window ? chooseFile(window) : Promise.resolve(null)),
      chooseChats: () => (window ? chooseChats(window) : Promise.resolve(null)),
      chooseBackup: () => (window ? chooseBackup(window) : Promise.resolve(null)),
      chooseModelFile: () => (window ? chooseModelFile(window) : Promise.resolve(null)),
      placeBackup: () => (window ? placeBackup(window) : Promise.resolve(null)),
      saveFile: (name, content) => (window ? saveFile(window, name, content) : Promise.resolve(ok(null))),
      confirmDelete: (title) => (window ? confirmDelete(window, title) : Promise.resolve(false)),
      openPage,
      openLink: (url) => (window ? openLink(window, url) : Promise.resolve(false)),
      drawDiagram: createDiagramWindows(join(bundle, '../renderer')),
      loadPicture: createPictureLoader(),
      writeClipboard: (text) => {
        // Typed as void in one Electron version and as a promise in another; nothing here waits for it.
        void clipboard.writeText(text);
      },
      quit: () => app.quit(),
      restart: (withoutPacks) => {
        // The new process inherits this environment: leave the packs out for that one start.
        process.env['PATINA_WITHOUT_PACKS'] = withoutPacks.join(',');
        app.relaunch();
        app.quit();
      },
    },
    send: (batch) => sendPush(window, batch),
    presence: {
      isAway: () => isAway(window),
      onLeft: (listener) => (onLeft = listener),
      notify: notifyUser,
      showBadge,
      show: showWindow,
    },
    onTheme: (theme) => {
      nativeTheme.themeSource = theme;
    },
    onZoom: (percent) => {
      if (window) zoomTo(window, percent);
    },
    onLanguage: (language) => {
      if (window) showInLanguage(window, language);
    },
  });
  refused = built.refused;
  return built;
}

/** Requests from the window wait until the core is ready. */
function setupIpc(answering: Promise<DesktopCore>): void {
  serveIpc({
    window: () => window,
    dispatch: async (name, input) => (await answering).dispatch(name, input),
    acknowledge: (batch) => void answering.then(({ acknowledge }) => acknowledge(batch)),
  });
}

/** A second start, or a link of any kind, only shows the window and ignores its arguments. */
function setupSingleInstance(home: string): void {
  app.on('second-instance', showWindow);
  app.on('open-url', (event) => {
    event.preventDefault();
    showWindow();
  });
  app.on('activate', () => {
    if (core && !window) openWindow(home, () => undefined);
    else showWindow();
  });
}

function setupQuit(): void {
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin' || refused) app.quit();
  });
  // Record running work as stopped before the process ends.
  app.on('will-quit', (event) => {
    if (!core) return;
    event.preventDefault();
    const closing = core;
    core = null;
    void closing.then(({ close }) => close()).finally(() => app.exit(refused ? 3 : 0));
  });
}

/**
 * Reports an error that occurs before there is a window, or a bug in Patina itself, in a system dialog, then
 * exits.
 */
function endWith(reason: string, code: number): void {
  dialog.showErrorBox('Patina cannot start', reason);
  app.exit(code);
}

/**
 * Opens the window first and builds the core afterwards: showing the window and forwarding its first keys
 * need this thread, too.
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
    `Patina's folder ${home} cannot be created: ${obstacle}\nSet PATINA_HOME to a folder you can write to.`,
    3,
  );
} else {
  setupBeforeReady(home);
  if (app.requestSingleInstanceLock()) {
    const restored = finishRestoreAtStart(home);
    if (restored.ok) {
      setupSingleInstance(home);
      setupQuit();
      void start(home);
    } else {
      endWith(`${restored.error.message}\n${restored.error.hint ?? ''}`, 1);
    }
  } else {
    app.quit();
  }
}
