import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { app, clipboard, dialog, nativeTheme, session, type BrowserWindow } from 'electron';
import { showStartMenu } from './adapters/electron/app-menu';
import { registerAskShortcut } from './adapters/electron/ask-shortcut';
import { hasTrayHost, isInTray, showTray } from './adapters/electron/tray-icon';
import { createAppWindows, type AppWindows } from './adapters/electron/app-windows';
import { declareAppScheme, serveApp } from './adapters/electron/app-protocol';
import { ok } from '#shared/result';
import {
  chooseBackup,
  chooseChats,
  chooseModelFile,
  chooseFile,
  chooseFolder,
  choosePack,
  placeBackup,
  saveFile,
  confirmDelete,
} from './adapters/electron/native-dialogs';
import { finishRestoreAtStart } from './adapters/backup/finish-restore';
import { reportFaults } from './adapters/electron/report-faults';
import { createDiagramWindows } from './adapters/electron/diagram-window';
import { openLink, openPage } from './adapters/electron/external-link';
import { sendPush, serveIpc } from './adapters/electron/ipc-boundary';
import { notifyUser, showBadge } from './adapters/electron/system-notification';
import { secureEverything } from './adapters/electron/window-security';
import { createPictureLoader } from './adapters/pictures/load-picture';
import { readWindowBootSettings } from './adapters/settings/window-boot-settings';
import { canWrite, makeHomeFolder } from './adapters/system/home-folder';
import { systemProxyOf } from './adapters/system/system-proxy';
import type { DesktopCore } from './compose/desktop';

// Everything here runs before the first paint: import only what that needs and load the rest later.
const bundle = import.meta.dirname;
let core: Promise<DesktopCore> | null = null;
let refused = false;

/** Chromium may still write into the folder: what cannot be removed now is left to the system. */
function removeTemporary(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
  } catch (cause) {
    console.error(`${folder} was not removed completely.`, cause);
  }
}

/**
 * The folder of Chromium's own files: beside Patina's, or a temporary one while Patina's folder is read-only.
 */
function chromiumFolder(home: string): string {
  if (canWrite(home)) return join(home, 'electron');
  const folder = mkdtempSync(join(tmpdir(), 'patina-electron-'));
  process.once('exit', () => removeTemporary(folder));
  return folder;
}

function setupBeforeReady(home: string): void {
  reportFaults();
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

function createWindows(home: string): AppWindows {
  return createAppWindows({
    preload: join(bundle, '../preload/index.cjs'),
    settings: () => readWindowBootSettings(home),
    saveBounds: (bounds) => void core?.then(({ saveBounds }) => saveBounds(bounds)),
  });
}

/** Loads and builds the core behind the window. */
async function startCore(home: string, windows: AppWindows): Promise<DesktopCore> {
  const { composeDesktop } = await import('./compose/desktop');
  /** Shows a dialog over the window that the user works in; `none` without a window. */
  const over = <T>(show: (window: BrowserWindow) => Promise<T>, none: T): Promise<T> => {
    const window = windows.inFront();
    return window ? show(window) : Promise.resolve(none);
  };
  const built = composeDesktop({
    bundle,
    home,
    desktop: {
      chooseFolder: () => over(chooseFolder, null),
      chooseFile: () => over(chooseFile, null),
      chooseChats: () => over(chooseChats, null),
      chooseBackup: () => over(chooseBackup, null),
      choosePack: () => over(choosePack, null),
      chooseModelFile: () => over(chooseModelFile, null),
      placeBackup: () => over(placeBackup, null),
      saveFile: (name, content) => over((window) => saveFile(window, name, content), ok(null)),
      confirmDelete: (title) => over((window) => confirmDelete(window, title), false),
      openPage,
      openLink: (url) => over((window) => openLink(window, url), false),
      drawDiagram: createDiagramWindows(join(bundle, '../renderer')),
      loadPicture: createPictureLoader({
        resolveProxy: systemProxyOf({
          resolveProxy: (address) => session.defaultSession.resolveProxy(address),
          env: process.env,
        }),
      }),
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
    windows,
    send: (windowId, batch) => sendPush(windows.withId(windowId), batch),
    notify: notifyUser,
    showBadge,
    onTheme: (theme) => {
      nativeTheme.themeSource = theme;
    },
    onZoom: windows.zoom,
    onMenuBar: windows.showMenuBar,
    onLanguage: windows.showInLanguage,
    onAskShortcut: registerAskShortcut,
    onTray(shown, onAsk) {
      showTray(shown, join(bundle, '../../build/icon.png'), {
        onOpen: windows.showMain,
        onAsk,
        onQuit: () => app.quit(),
      });
      return hasTrayHost();
    },
  });
  refused = built.refused;
  return built;
}

/** Requests from the windows wait until the core is ready. */
function setupIpc(answering: Promise<DesktopCore>, { withContents }: AppWindows): void {
  serveIpc({
    windowWith: withContents,
    dispatch: async (name, input) => (await answering).dispatch(name, input),
    acknowledge: (...batch) => void answering.then(({ acknowledge }) => acknowledge(...batch)),
  });
}

/** A second start, or a link of any kind, only shows the window and ignores its arguments. */
function setupSingleInstance({ showMain }: AppWindows): void {
  const show = (): void => void (core && showMain());
  app.on('second-instance', show);
  app.on('open-url', (event) => {
    event.preventDefault();
    show();
  });
  app.on('activate', show);
}

/** Without a window, Patina goes on only where the user can get one back. */
function setupQuit({ inFront }: AppWindows): void {
  app.on('window-all-closed', () => {
    if ((process.platform !== 'darwin' && !isInTray()) || refused) app.quit();
    else void hasTrayHost().then((shown) => !shown && inFront() === null && app.quit());
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
async function start(home: string, windows: AppWindows): Promise<void> {
  await app.whenReady();
  secureEverything();
  serveApp(join(bundle, '../renderer'));
  showStartMenu(readWindowBootSettings(home).language);
  const shown = new Promise<void>((resolve) => windows.openMain(resolve));
  core = shown.then(() => startCore(home, windows));
  core.catch((fault: unknown) =>
    endWith(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault), 1),
  );
  setupIpc(core, windows);
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
      const windows = createWindows(home);
      setupSingleInstance(windows);
      setupQuit(windows);
      void start(home, windows);
    } else {
      endWith(`${restored.error.message}\n${restored.error.hint ?? ''}`, 1);
    }
  } else {
    app.quit();
  }
}
