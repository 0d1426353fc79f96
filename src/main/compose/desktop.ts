import { relative, sep } from 'node:path';
import type { AppError, ConfigProblem } from '#shared/app-error';
import type { PushBatch } from '#shared/ipc';
import type { Notice } from '#shared/notice';
import { settingRows } from '#shared/setting-rows';
import { translateActions, translateCommand } from '#shared/row-names';
import type { Settings, SettingsPatch } from '#shared/settings';
import { showAppMenu } from '../adapters/electron/app-menu';
import type { AppWindows } from '../adapters/electron/app-windows';
import type { NotificationOptions } from '../adapters/electron/system-notification';
import { nativeRowNames } from '../adapters/electron/native-texts';
import { createElectronHost } from '../adapters/electron/electron-host';
import { bundleFiles } from '../adapters/system/bundle-files';
import { readHelpPages } from '../adapters/system/help-pages';
import { createSystemClock } from '../adapters/system/system-clock';
import type { App } from '../app';
import { compose } from './compose';
import type { Desktop } from '../ipc/app-handlers';
import type { UserCall } from '../../core/ports/user-call';
import { createAttention } from '../../core/session/attention';
import { menuGroups } from '../../core/control-plane/menu-groups';
import { createDispatch, type Dispatch } from '../ipc/dispatch';
import { createHandlers } from '../ipc/handlers';
import { createPushChannels, pushEverything } from '../ipc/push-channel';
import { createRefusedDispatch } from '../ipc/refused-dispatch';
import { createSessionWindows, type SessionWindows } from '../ipc/window-handlers';

/** Build the menu and watch folders only after this delay from the start. */
const afterStartMs = 400;

export interface DesktopDeps {
  /** The folder of main's own bundle. */
  readonly bundle: string;
  readonly home: string;
  readonly desktop: Omit<Desktop, 'helpPages'>;
  readonly windows: AppWindows;
  readonly send: (windowId: number, batch: PushBatch) => void;
  /** Calls a user who works in another app. */
  readonly notify: (call: UserCall, answers: NotificationOptions) => void;
  readonly showBadge: (waiting: number) => void;
  readonly onTheme: (theme: Settings['theme']) => void;
  readonly onZoom: (percent: number) => void;
  readonly onMenuBar: (menuBar: Settings['menuBar']) => void;
  readonly onLanguage: (language: Settings['language']) => void;
  /** Makes the keys that open the ask window work everywhere; false when another app has them. */
  readonly onAskShortcut: (keys: Settings['askShortcut'], onPressed: () => void) => boolean;
  /** Shows or hides the icon in the system tray; false when the desktop shows no such icons. */
  readonly onTray: (shown: boolean, onAsk: () => void) => Promise<boolean>;
}

/** The core behind the window: the whole app, or a refused start. */
export interface DesktopCore {
  readonly refused: boolean;
  readonly dispatch: Dispatch;
  readonly acknowledge: (windowId: number, batch: number) => void;
  readonly saveBounds: (bounds: NonNullable<SettingsPatch['window']>) => void;
  /** Resolves when running work is recorded as stopped. */
  readonly close: () => Promise<void>;
}

/** The pack folder that contains a file, if any. */
function packOf(home: string, file: string): string | null {
  const [packs, name] = relative(home, file).split(sep);
  return packs === 'packs' && name ? name : null;
}

/** Adds to each finding the pack that it concerns, so that the window can offer to start without it. */
function withPacks(error: AppError, home: string): AppError {
  if (!error.problems) return error;
  const problems = error.problems.map((problem): ConfigProblem => {
    const pack = packOf(home, problem.file);
    return pack === null ? problem : { ...problem, pack };
  });
  return { ...error, problems };
}

function refusedCore(error: AppError, { home }: DesktopDeps, desktop: Desktop): DesktopCore {
  showAppMenu([], () => undefined);
  return {
    refused: true,
    dispatch: createRefusedDispatch(withPacks(error, home), desktop),
    acknowledge: () => undefined,
    saveBounds: () => undefined,
    close: () => Promise.resolve(),
  };
}

/** The session that the user works in: that of the window in front, else the one that the main window shows. */
type SessionInUse = () => string | null;

/**
 * Updates the application menu from the enabled features of the session in use and the user's shortcuts. Returns
 * the function that draws it again.
 */
function updateMenu(
  app: Pick<App, 'info' | 'log' | 'plane' | 'settings'>,
  sessionInUse: SessionInUse,
  onChosen: (id: string) => void,
): () => void {
  let shown = '';
  const draw = (): void => {
    const { shortcuts, language } = app.settings.get();
    const sessionId = sessionInUse();
    const opened = sessionId === null ? undefined : app.log.state(sessionId);
    const { commands, unlisted } = app.plane.view(opened ?? null);
    const names = nativeRowNames();
    const groups = menuGroups({
      actions: translateActions(app.info().actions, names),
      commands: commands.map((command) => translateCommand(command, names)),
      unlisted,
      shortcuts,
    });
    const asText = JSON.stringify([groups, language]);
    if (asText === shown) return;
    shown = asText;
    showAppMenu(groups, onChosen, (direction) => zoomBy(app.settings, direction));
  };
  // The window's own requests come first.
  createSystemClock().after(afterStartMs, draw);
  app.settings.onChange(draw);
  app.log.subscribe((events) => {
    if (events.some(({ type }) => type === 'mode-changed')) draw();
  });
  return draw;
}

/**
 * Says what changed in the files of the session in use whenever another session is. Returns the function that
 * looks which one it is.
 */
function followSessionInUse(
  {
    settings,
    syncSuggestions,
    instructionSuggestions,
  }: Pick<App, 'settings' | 'syncSuggestions' | 'instructionSuggestions'>,
  sessionInUse: SessionInUse,
): () => void {
  const look = (): void => {
    const sessionId = sessionInUse();
    syncSuggestions.follow(sessionId);
    instructionSuggestions.follow(sessionId);
  };
  createSystemClock().after(afterStartMs, look);
  settings.onChange(look);
  return look;
}

/** Calls the user back when a session needs them or long work has ended, unless they switched that off. */
function watchAttention(
  { log, runs, settings }: Pick<App, 'log' | 'runs' | 'settings'>,
  { windows, notify, showBadge }: Pick<DesktopDeps, 'windows' | 'notify' | 'showBadge'>,
  { show }: SessionWindows,
): void {
  const attention = createAttention({
    log,
    isAway: windows.isAway,
    isOnScreen: (id) => settings.get().lastSessionId === id || windows.sessions().includes(id),
    count: showBadge,
    call(call) {
      const { notifications, sound } = settings.get();
      if (!notifications) return;
      const { sessionId, turn, write } = call;
      const onClick = () => show(sessionId, turn);
      notify(call, {
        sound,
        onClick,
        onAnswer(approved) {
          if (!write) return;
          const { runId, approvalId, hash } = write;
          // A card that was answered meanwhile: the session says what became of it.
          if (!runs.answer({ sessionId, runId }, [{ approvalId, hash, approved }]).ok) onClick();
        },
      });
    },
  });
  windows.on.left = attention.left;
}

const takenKeys: Notice = {
  id: 'ask-shortcut',
  level: 'warning',
  title: 'The keys for “Ask from anywhere” do not work',
  detail: 'The system or another app uses them.',
  hint: 'Choose other keys in Settings → Shortcuts.',
};

const noTray: Notice = {
  id: 'tray',
  level: 'warning',
  title: 'This desktop shows no icons in a system tray',
  detail: 'So Patina ends when you close its last window.',
  hint: 'Add a tray to your desktop, or switch the icon off in Settings → Appearance.',
};

/** Follows the settings that reach beyond the windows: the keys that work in every app, and the system tray. */
function followOutside(
  { settings, notices }: Pick<App, 'settings' | 'notices'>,
  { onAskShortcut, onTray }: Pick<DesktopDeps, 'onAskShortcut' | 'onTray'>,
  showAsk: () => void,
): void {
  const useKeys = (keys: Settings['askShortcut']): void => {
    if (onAskShortcut(keys, showAsk)) notices.withdraw(takenKeys.id);
    else notices.raise(takenKeys);
  };
  const useTray = async (shown: boolean): Promise<void> => {
    const visible = await onTray(shown, showAsk);
    if (settings.get().tray && !visible) notices.raise(noTray);
    else notices.withdraw(noTray.id);
  };
  const { askShortcut, tray } = settings.get();
  if (askShortcut !== 'off') useKeys(askShortcut);
  // A panel may start after Patina at the user's login: nothing is said of it yet.
  if (tray) void onTray(true, showAsk);
  follow(settings, 'askShortcut', useKeys);
  follow(settings, 'tray', (shown) => void useTray(shown));
  follow(settings, 'language', () => {
    if (settings.get().tray) void useTray(true);
  });
}

/** Calls back when a setting of the window changes; the window opens with the stored one. */
function follow<Name extends 'zoom' | 'menuBar' | 'language' | 'askShortcut' | 'tray'>(
  settings: App['settings'],
  name: Name,
  onChange: (value: Settings[Name]) => void,
): void {
  let shown = settings.get()[name];
  settings.onChange(({ [name]: value }) => {
    if (value !== shown) onChange(value);
    shown = value;
  });
}

/** The steps of the View menu, in percent. */
const zoomSteps = [50, 67, 75, 80, 90, 100, 110, 125, 150, 175, 200];

/** The next step in a direction; 0 goes back to the default. */
function zoomBy(settings: App['settings'], direction: -1 | 0 | 1): void {
  const { zoom } = settings.get();
  const larger = zoomSteps.find((step) => step > zoom);
  const smaller = zoomSteps.findLast((step) => step < zoom);
  const next = { '-1': smaller, 0: settingRows.zoom.default, 1: larger }[direction];
  if (next !== undefined) settings.patch({ zoom: next });
}

function runningCore(app: App, deps: DesktopDeps, desktop: Desktop): DesktopCore {
  const { windows, onTheme, onZoom, onMenuBar, onLanguage } = deps;
  const channels = createPushChannels(deps.send, createSystemClock());
  const sessionWindows = createSessionWindows(app, windows, channels);
  watchAttention(app, deps, sessionWindows);
  pushEverything(app, channels.push);
  void app.controlSocket.serve();
  const sessionInUse = () => windows.sessionInFront() ?? app.settings.get().lastSessionId;
  const lookAtSession = followSessionInUse(app, sessionInUse);
  // Before the menu, which is drawn in the language; at each change, because a page with unsaved text did not load
  // in it when it was chosen.
  app.settings.onChange(({ language }) => onLanguage(language));
  const drawMenu = updateMenu(app, sessionInUse, sessionWindows.chooseInFront);
  windows.on.focused = () => {
    lookAtSession();
    drawMenu();
  };
  onTheme(app.settings.get().theme);
  app.settings.onChange(({ theme }) => onTheme(theme));
  follow(app.settings, 'zoom', onZoom);
  follow(app.settings, 'menuBar', onMenuBar);
  followOutside(app, deps, sessionWindows.showAsk);
  // The main window's own requests come first.
  createSystemClock().after(afterStartMs, sessionWindows.restore);
  return {
    refused: false,
    dispatch: createDispatch(createHandlers(app, desktop, sessionWindows), (call, error) => {
      console.error(`The call ${call} of the window failed unexpectedly.`, error);
      app.eventLog.write('call-threw', { call, message: String(error) });
    }),
    acknowledge(windowId, batch) {
      if (batch === 0) sessionWindows.greet(windowId);
      channels.acknowledge(windowId, batch);
    },
    saveBounds: (bounds) => void app.settings.patch({ window: bounds }),
    close: app.close,
  };
}

/**
 * Builds everything behind the window while the window opens. With an invalid configuration, the core only
 * reports the problem: no session, no server, no model call.
 */
export function composeDesktop(deps: DesktopDeps): DesktopCore {
  const composed = compose(createElectronHost(deps.bundle, deps.home));
  const desktop = { ...deps.desktop, helpPages: () => readHelpPages(bundleFiles(deps.bundle).help) };
  return composed.ok
    ? runningCore(composed.value, deps, desktop)
    : refusedCore(composed.error, deps, desktop);
}
