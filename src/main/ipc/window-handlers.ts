import type { IpcHandlers } from '#shared/ipc';
import { ok } from '#shared/result';
import type { AppWindows } from '../adapters/electron/app-windows';
import type { App } from '../app';
import type { PushChannels } from './push-channel';

type Windows = Pick<
  AppWindows,
  'sessions' | 'lastingSessions' | 'showMain' | 'showSession' | 'closeSession' | 'inFront' | 'on'
>;

interface SessionWindowDeps extends Pick<App, 'project'> {
  readonly log: Pick<App['log'], 'create' | 'ids' | 'onRemoved' | 'summaries'>;
  readonly settings: Pick<App['settings'], 'get' | 'patch'>;
}

/** Shows sessions in the window where they are, and keeps every window informed of which those are. */
export function createSessionWindows(
  { log, project, settings }: SessionWindowDeps,
  windows: Windows,
  channels: PushChannels,
) {
  const changed = () => ({ type: 'windows-changed', sessions: windows.sessions() }) as const;
  const called = (sessionId: string, turn?: number) =>
    ({ type: 'session-called', sessionId, ...(turn !== undefined && { turn }) }) as const;
  windows.on.changed = () => {
    channels.push(changed());
    settings.patch({ ownWindows: [...windows.lastingSessions()] });
  };
  windows.on.closed = channels.close;
  log.onRemoved((sessionId) => windows.closeSession(sessionId));

  const showOwn = (sessionId: string, turn?: number): void => {
    const id = windows.showSession(sessionId);
    if (turn !== undefined) channels.pushTo(id, called(sessionId, turn));
  };
  const showInMain = (sessionId: string, turn?: number): void =>
    channels.pushTo(windows.showMain(), called(sessionId, turn));
  return {
    showOwn,
    showInMain,
    /** Shows a new session in the main window. */
    showNew: () => channels.pushTo(windows.showMain(), { type: 'menu-chosen', id: 'new-session' }),
    /**
     * Shows a small window for a question: with a session of the project that has no turn yet, and perhaps an unsent
     * line, or with a new session.
     */
    showAsk(): void {
      const listed = log.summaries({ archived: false });
      const unused = (listed.ok ? listed.value : []).find(
        ({ turnCount, project: folder }) => turnCount === 0 && folder === project(),
      );
      const created = unused ? null : log.create(project());
      const id = unused?.id ?? (created?.ok ? created.value.id : null);
      if (id !== null) windows.showSession(id, 'small');
    },
    /** Shows a session, at one of its turns, in its own window if it has one. */
    show: (sessionId: string, turn?: number) =>
      (windows.sessions().includes(sessionId) ? showOwn : showInMain)(sessionId, turn),
    /** Opens the windows of sessions that the last start ended with, without taking the focus. */
    restore(): void {
      const { ownWindows } = settings.get();
      // The list of ids, because reading a long session here would hold up the start.
      const stored = ownWindows.length > 0 ? log.ids() : ok([]);
      if (!stored.ok) return;
      for (const sessionId of ownWindows)
        if (stored.value.includes(sessionId)) windows.showSession(sessionId, 'restored');
    },
    /** Runs a row of the application menu in the window that the user works in. */
    chooseInFront(rowId: string): void {
      const window = windows.inFront();
      if (window) channels.pushTo(window.webContents.id, { type: 'menu-chosen', id: rowId });
    },
    /** Tells a page that has just begun to listen which sessions have windows. */
    greet(windowId: number): void {
      if (windows.sessions().length > 0) channels.pushTo(windowId, changed());
    },
  };
}

export type SessionWindows = ReturnType<typeof createSessionWindows>;
/** What the windows themselves may ask for. */
export type ShowSession = Pick<SessionWindows, 'showOwn' | 'showInMain' | 'showNew'>;

/** The windows' requests about windows. */
export function createWindowHandlers({ log }: Pick<App, 'log'>, windows: ShowSession) {
  return {
    'window-open': ({ sessionId, turn }) => {
      const session = log.peek(sessionId);
      if (!session.ok) return session;
      windows.showOwn(sessionId, turn);
      return ok(null);
    },
    'window-main': ({ sessionId, turn }) => {
      if (sessionId === undefined) windows.showNew();
      else windows.showInMain(sessionId, turn);
      return ok(null);
    },
  } satisfies Partial<IpcHandlers>;
}
