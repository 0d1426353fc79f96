import { app, BrowserWindow, dialog, nativeTheme, screen, type Rectangle } from 'electron';
import type { Settings, SettingsPatch } from '#shared/settings';
import { appOrigin } from './window-security';
import { isBlankFrame } from './blank-frame';
import { nativeTexts, setNativeLanguage } from './native-texts';
import { languageOf } from '#shared/language';

interface WindowOptions {
  readonly preload: string;
  readonly settings: Pick<Settings, 'window' | 'theme' | 'zoom' | 'language' | 'menuBar'>;
}

interface MainWindowOptions extends WindowOptions {
  readonly saveBounds: (bounds: NonNullable<SettingsPatch['window']>) => void;
  /** Called once, when the window first paints or when it is clear that it will not. */
  readonly onShown: () => void;
}

/** A page that has loaded but not painted after this time never will. */
const pictureMs = 1_000;

const background = { light: '#faf9f7', dark: '#1a1917' };

/** The stored bounds of the window, if any part of it is still on a screen. */
function visibleBounds(stored: Settings['window']): Partial<Rectangle> {
  if (!stored) return { width: 1280, height: 820 };
  const { x, y, width, height } = stored;
  if (x === undefined || y === undefined) return { width, height };
  const area = screen.getDisplayMatching({ x, y, width, height }).workArea;
  const visible =
    x < area.x + area.width && x + width > area.x && y < area.y + area.height && y + height > area.y;
  return visible ? { x, y, width, height } : { width, height };
}

/** The session of each window that shows only one. */
const ownSessions = new WeakMap<BrowserWindow, string>();

/**
 * Shows the page in a language. A page that was open in another loads again, unless it has unsaved text; when it
 * unloads, it stores what it must not lose.
 */
export function showInLanguage(window: BrowserWindow, chosen: Settings['language']): void {
  const language = languageOf(chosen, app.getPreferredSystemLanguages());
  setNativeLanguage(language);
  const page = new URL(`${appOrigin}/index.html?lang=${language}`);
  const session = ownSessions.get(window);
  if (session !== undefined) page.searchParams.set('session', session);
  // A page with unsaved text stays, and this is called again.
  if (window.webContents.getURL() !== page.href) window.loadURL(page.href).catch(() => undefined);
}

/** In percent. */
const zooms = new WeakMap<BrowserWindow, number>();

/** Zooms the window, now and whenever its page loads again. */
export function zoomTo(window: BrowserWindow, percent: number): void {
  const apply = (): void => window.webContents.setZoomFactor((zooms.get(window) ?? 100) / 100);
  if (!zooms.has(window)) window.webContents.on('dom-ready', apply);
  zooms.set(window, percent);
  apply();
}

/** Shows the menu bar all the time, or only once Alt is pressed. Without effect on macOS. */
export function showMenuBar(window: BrowserWindow, menuBar: Settings['menuBar']): void {
  window.setAutoHideMenuBar(menuBar === 'hidden');
  window.setMenuBarVisibility(menuBar === 'shown');
}

function rememberBounds(window: BrowserWindow, save: MainWindowOptions['saveBounds']): void {
  window.on('close', () => save({ ...window.getNormalBounds(), maximized: window.isMaximized() }));
}

/** Shows the window with its first paint. */
function showWhenDrawn(window: BrowserWindow, { settings, onShown }: MainWindowOptions): void {
  let notified = false;
  const notify = (): void => {
    if (!notified) onShown();
    notified = true;
  };
  window.once('ready-to-show', () => {
    if (settings.window?.maximized) window.maximize();
    window.show();
    notify();
  });
  window.once('closed', notify);
  window.webContents.once('did-stop-loading', () => setTimeout(notify, pictureMs));
}

/** A window of the app: sandboxed, isolated, and hidden until there is something to show. */
function createWindow({ preload, settings }: WindowOptions, bounds: Partial<Rectangle>): BrowserWindow {
  nativeTheme.themeSource = settings.theme;
  const window = new BrowserWindow({
    ...bounds,
    minWidth: 380,
    minHeight: 420,
    show: false,
    title: 'Patina',
    autoHideMenuBar: settings.menuBar === 'hidden',
    backgroundColor: nativeTheme.shouldUseDarkColors ? background.dark : background.light,
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      // Electron would download the dictionaries from the network.
      spellcheck: false,
    },
  });
  zoomTo(window, settings.zoom);
  reloadCrashedRenderer(window);
  redrawAfterGpuCrash(window);
  return window;
}

/** Creates the window with the list of sessions. */
export function createMainWindow(options: MainWindowOptions): BrowserWindow {
  const window = createWindow(options, visibleBounds(options.settings.window));
  rememberBounds(window, options.saveBounds);
  showWhenDrawn(window, options);
  showInLanguage(window, options.settings.language);
  return window;
}

/**
 * A session's own window: one to work in, one for a question from another app, which stays above the others, or
 * one that was open before the restart, which takes no focus.
 */
export type SessionWindowKind = 'full' | 'small' | 'restored';
const fullBounds = { width: 780, height: 820 };
const smallBounds = { width: 560, height: 480 };

/** Creates a window that shows one session, where the system places it. */
export function createSessionWindow(
  sessionId: string,
  options: WindowOptions,
  kind: SessionWindowKind,
): BrowserWindow {
  const window = createWindow(options, kind === 'small' ? smallBounds : fullBounds);
  if (kind === 'small') {
    window.setAlwaysOnTop(true);
    showMenuBar(window, 'hidden');
  }
  ownSessions.set(window, sessionId);
  window.once('ready-to-show', () => (kind === 'restored' ? window.showInactive() : window.show()));
  showInLanguage(window, options.settings.language);
  return window;
}

/** By then a new GPU process has either drawn the window or never will. */
const blankCheckDelayMs = 1500;

/** Chromium terminates the app when the GPU process crashes too often, so end it at most once per period. */
const cooldownMs = 60000;

async function showsNothing(window: BrowserWindow): Promise<boolean> {
  if (window.isDestroyed() || !window.isVisible() || window.isMinimized()) return false;
  const picture = await window.webContents.capturePage();
  return !picture.isEmpty() && isBlankFrame(picture.toBitmap());
}
function endGpuProcess(): void {
  const gpu = app.getAppMetrics().find(({ type }) => type === 'GPU');
  if (gpu) process.kill(gpu.pid, 'SIGKILL');
}

/**
 * After a GPU process crash Chromium starts a new one, which in a few of a hundred cases draws the window
 * without text, through repaints and reloads. The GPU process after that one draws it completely.
 */
function redrawAfterGpuCrash(window: BrowserWindow): void {
  let last = -Infinity;
  const check = async (): Promise<void> => {
    if (performance.now() - last < cooldownMs || !(await showsNothing(window))) return;
    last = performance.now();
    endGpuProcess();
  };
  const onGone = (_event: unknown, { type }: { readonly type: string }): void => {
    // A window that closes in the meantime cannot be captured and does not need to be.
    if (type === 'GPU') setTimeout(() => void check().catch(() => undefined), blankCheckDelayMs);
  };
  app.on('child-process-gone', onGone);
  window.once('closed', () => app.off('child-process-gone', onGone));
}

/** Do not reload automatically when the renderer crashes again within this time: it could loop forever. */
const tooSoonMs = 3000;

async function askToLoad(window: BrowserWindow): Promise<void> {
  const { crashed } = nativeTexts();
  const { response } = await dialog.showMessageBox(window, {
    type: 'error',
    message: crashed.message,
    detail: crashed.detail,
    buttons: [crashed.reload, crashed.quit],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  if (response === 1) app.quit();
  else if (!window.isDestroyed()) window.webContents.reload();
}

/**
 * Reloads a crashed renderer. After a second crash within seconds, it asks the user first. The sessions are
 * in main, so nothing is lost.
 */
function reloadCrashedRenderer(window: BrowserWindow): void {
  let last = -Infinity;
  window.webContents.on('render-process-gone', (_event, details) => {
    if (details.reason === 'clean-exit') return;
    const tooSoon = performance.now() - last < tooSoonMs;
    last = performance.now();
    if (tooSoon) void askToLoad(window);
    else window.webContents.reload();
  });
}
