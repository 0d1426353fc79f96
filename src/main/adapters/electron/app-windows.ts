import { app, type BrowserWindow, type WebContents } from 'electron';
import type { Settings, SettingsPatch } from '#shared/settings';
import {
  createMainWindow,
  createSessionWindow,
  showInLanguage,
  showMenuBar,
  zoomTo,
  type SessionWindowKind,
} from './main-window';

export interface AppWindowsDeps {
  readonly preload: string;
  /** Read each time a window opens. */
  readonly settings: () => Pick<Settings, 'window' | 'theme' | 'zoom' | 'language' | 'menuBar'>;
  readonly saveBounds: (bounds: NonNullable<SettingsPatch['window']>) => void;
}

/** Milliseconds between one window of the app losing the focus and another one getting it. */
const focusChangeMs = 100;

/**
 * The windows of the app: the main one, and one for each session that the user took out of it. A window is
 * named by the id of its web contents.
 */
export function createAppWindows({ preload, settings, saveBounds }: AppWindowsDeps) {
  let main: BrowserWindow | null = null;
  const sessions = new Map<string, BrowserWindow>();
  /** Sessions in small windows, which the next start does not open again. */
  const small = new Set<string>();
  /** The sessions whose windows the next start opens again. */
  const lasting = new Set<string>();
  let quitting = false;
  app.on('before-quit', () => (quitting = true));
  const listeners = {
    left: (): void => undefined,
    focused: (): void => undefined,
    changed: (): void => undefined,
    closed: (_id: number): void => undefined,
  };

  const all = (): readonly BrowserWindow[] => [...(main ? [main] : []), ...sessions.values()];
  const focused = (): BrowserWindow | null =>
    all().find((window) => window.isFocused() && !window.isMinimized()) ?? null;
  const sessionOf = (window: BrowserWindow | null): string | null =>
    [...sessions].find(([, each]) => each === window)?.[0] ?? null;

  const reportLeft = (): void => {
    if (focused() === null) listeners.left();
  };

  function follow(window: BrowserWindow, onClosed: () => void): void {
    const { id } = window.webContents;
    for (const left of ['blur', 'minimize', 'hide'] as const)
      window.on(left as 'blur', () => setTimeout(reportLeft, focusChangeMs));
    window.on('focus', () => listeners.focused());
    // Its page says that text would be lost.
    window.webContents.on('will-prevent-unload', () => {
      quitting = false;
      show(window);
    });
    window.once('closed', () => {
      onClosed();
      listeners.closed(id);
    });
  }

  function show(window: BrowserWindow): void {
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  }

  function openMain(onShown: () => void = () => undefined): BrowserWindow {
    const window = createMainWindow({ preload, settings: settings(), saveBounds, onShown });
    main = window;
    follow(window, () => (main = null));
    return window;
  }

  return {
    openMain,
    /** Shows the main window, and opens it first if it was closed. Returns its id. */
    showMain(): number {
      const window = main ?? openMain();
      show(window);
      return window.webContents.id;
    },
    /** Shows a session in its own window, and opens it first if there is none. Returns the window's id. */
    showSession(sessionId: string, kind: SessionWindowKind = 'full'): number {
      const known = sessions.get(sessionId);
      if (known) {
        show(known);
        return known.webContents.id;
      }
      const window = createSessionWindow(sessionId, { preload, settings: settings() }, kind);
      sessions.set(sessionId, window);
      (kind === 'small' ? small : lasting).add(sessionId);
      // Decided when the closing begins: if the app ends before the window is gone, it closes the window once more.
      window.once('close', () => {
        if (!quitting) lasting.delete(sessionId);
      });
      follow(window, () => {
        sessions.delete(sessionId);
        small.delete(sessionId);
        listeners.changed();
      });
      listeners.changed();
      return window.webContents.id;
    },
    closeSession: (sessionId: string) => sessions.get(sessionId)?.close(),
    /** The sessions that have a window of their own. */
    sessions: (): readonly string[] => [...sessions.keys()],
    /** The sessions whose windows the next start opens again; those that the end of the app closes stay. */
    lastingSessions: (): readonly string[] => [...lasting],
    /** The window that the user works in; the main one while they work in another app. */
    inFront: (): BrowserWindow | null => focused() ?? main ?? all()[0] ?? null,
    /** Whether the user works in another app. */
    isAway: (): boolean => focused() === null,
    sessionInFront: (): string | null => sessionOf(focused()),
    /** The window with these web contents. */
    withContents: (contents: WebContents): BrowserWindow | null =>
      all().find((window) => window.webContents === contents) ?? null,
    withId: (id: number): BrowserWindow | null =>
      all().find((window) => !window.isDestroyed() && window.webContents.id === id) ?? null,
    zoom: (percent: number) => all().forEach((window) => zoomTo(window, percent)),
    /** A small window never shows its menu bar by itself. */
    showMenuBar: (menuBar: Settings['menuBar']) =>
      all()
        .filter((window) => !small.has(sessionOf(window) ?? ''))
        .forEach((window) => showMenuBar(window, menuBar)),
    showInLanguage: (language: Settings['language']) =>
      all().forEach((window) => showInLanguage(window, language)),
    on: listeners,
  };
}

export type AppWindows = ReturnType<typeof createAppWindows>;
