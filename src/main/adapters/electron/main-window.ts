import { BrowserWindow, nativeTheme, screen, type Rectangle } from 'electron';
import type { Settings, SettingsPatch } from '#shared/settings';
import { redrawAfterGpuCrash } from './redraw';
import { reviveRenderer } from './revive-renderer';
import { appOrigin } from './window-security';

export interface MainWindowOptions {
  readonly preload: string;
  readonly settings: Pick<Settings, 'window' | 'theme'>;
  readonly saveBounds: (bounds: NonNullable<SettingsPatch['window']>) => void;
  /** Called once, when the window shows its first picture, or when it is clear that there will be none. */
  readonly onShown: () => void;
}

/** A page that was loaded and has drawn nothing by then will not. */
const pictureMs = 1_000;

const background = { light: '#faf9f7', dark: '#1a1917' };

/** The stored place of the window, if any part of it still lies on a screen. */
function visibleBounds(stored: Settings['window']): Partial<Rectangle> {
  if (!stored) return { width: 1280, height: 820 };
  const { x, y, width, height } = stored;
  if (x === undefined || y === undefined) return { width, height };
  const area = screen.getDisplayMatching({ x, y, width, height }).workArea;
  const visible =
    x < area.x + area.width && x + width > area.x && y < area.y + area.height && y + height > area.y;
  return visible ? { x, y, width, height } : { width, height };
}

function rememberBounds(window: BrowserWindow, save: MainWindowOptions['saveBounds']): void {
  window.on('close', () => save({ ...window.getNormalBounds(), maximized: window.isMaximized() }));
}

/** Shows the window with its first picture. */
function showWhenDrawn(window: BrowserWindow, { settings, onShown }: MainWindowOptions): void {
  let told = false;
  const tell = (): void => {
    if (!told) onShown();
    told = true;
  };
  window.once('ready-to-show', () => {
    if (settings.window?.maximized) window.maximize();
    window.show();
    tell();
  });
  window.once('closed', tell);
  window.webContents.once('did-stop-loading', () => setTimeout(tell, pictureMs));
}

/** Creates the one window: sandboxed, isolated, shown when it has something to show. */
export function createMainWindow(options: MainWindowOptions): BrowserWindow {
  nativeTheme.themeSource = options.settings.theme;
  const window = new BrowserWindow({
    ...visibleBounds(options.settings.window),
    minWidth: 380,
    minHeight: 420,
    show: false,
    title: 'Patina',
    autoHideMenuBar: true,
    backgroundColor: nativeTheme.shouldUseDarkColors ? background.dark : background.light,
    webPreferences: {
      preload: options.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      // The dictionaries would be fetched from the network.
      spellcheck: false,
    },
  });
  rememberBounds(window, options.saveBounds);
  reviveRenderer(window);
  redrawAfterGpuCrash(window);
  showWhenDrawn(window, options);
  void window.loadURL(`${appOrigin}/index.html`);
  return window;
}
