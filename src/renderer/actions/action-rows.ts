import { exportMarkdown } from '#shared/export-markdown';
import { busyTurn } from '../store/session-view';
import type { WindowApp } from '../store/start-window';

/** One thing the window can do. Palette, shortcuts and their list all come from these rows. */
export interface ActionRow {
  readonly id: string;
  readonly label: string;
  readonly group: 'Session' | 'Mode' | 'View' | 'App';
  readonly keys?: string;
  /** Whether it can be done now; always, when there is nothing to ask. */
  readonly available?: (app: WindowApp) => boolean;
  readonly run: (app: WindowApp) => void;
}

function current({ mirror, view }: WindowApp) {
  const { sessionId } = view.store.getState();
  return sessionId === null ? undefined : mirror.store.getState().sessions[sessionId];
}

const inSession = (app: WindowApp): boolean => current(app) !== undefined;

/** Where there is no room beside the conversation the inspector covers it. */
function inspectorLiesOnTop({ mirror }: WindowApp): boolean {
  return mirror.store.getState().settings.inspectorOpen && window.matchMedia('(max-width: 899px)').matches;
}

/** Closes what lies on top; with nothing there, stops what is being done. */
function stopOrClose(app: WindowApp): void {
  const { railOpen, find, failure } = app.view.store.getState();
  if (railOpen) return app.view.set({ railOpen: false });
  if (find) return app.view.set({ find: null });
  if (inspectorLiesOnTop(app)) return void app.commands.toggleInspector();
  if (busyTurn(current(app))) return void app.commands.stop();
  if (failure) app.view.set({ failure: null });
}

export const actionRows: readonly ActionRow[] = [
  {
    id: 'new-session',
    label: 'New session',
    group: 'Session',
    keys: 'Mod+N',
    run: ({ commands }) => commands.newSession(),
  },
  {
    id: 'search-sessions',
    label: 'Search all sessions',
    group: 'Session',
    keys: 'Mod+Shift+F',
    run: ({ view }) => view.set({ dialog: { kind: 'search' } }),
  },
  {
    id: 'find',
    label: 'Find in this session',
    group: 'Session',
    keys: 'Mod+F',
    available: (app) => (current(app)?.turnCount ?? 0) > 0,
    run: ({ view }) => view.openFind(),
  },
  {
    id: 'previous-session',
    label: 'Previous session',
    group: 'Session',
    keys: 'Alt+ArrowUp',
    run: ({ commands }) => void commands.stepSession(-1),
  },
  {
    id: 'next-session',
    label: 'Next session',
    group: 'Session',
    keys: 'Alt+ArrowDown',
    run: ({ commands }) => void commands.stepSession(1),
  },
  {
    id: 'rename-session',
    label: 'Rename this session',
    group: 'Session',
    available: inSession,
    run: (app) => {
      const session = current(app);
      if (session) app.view.set({ renaming: session.id });
    },
  },
  {
    id: 'archive-session',
    label: 'Archive this session',
    group: 'Session',
    available: (app) => current(app)?.archived === false,
    run: (app) => {
      const session = current(app);
      if (session) void app.commands.archiveSession(session.id);
    },
  },
  {
    id: 'restore-session',
    label: 'Restore this session from the archive',
    group: 'Session',
    available: (app) => current(app)?.archived === true,
    run: (app) => {
      const session = current(app);
      if (session) void app.commands.restoreSession(session.id);
    },
  },
  {
    id: 'copy-session',
    label: 'Copy this session as Markdown',
    group: 'Session',
    available: inSession,
    run: (app) => {
      const session = current(app);
      if (session) void app.commands.copy(exportMarkdown(session));
    },
  },
  {
    id: 'stop',
    label: 'Stop, or close what is on top',
    group: 'Session',
    keys: 'Escape',
    run: stopOrClose,
  },
  {
    id: 'toggle-run-mode',
    label: 'Switch between Ask and Agent Mode',
    group: 'Mode',
    keys: 'Mod+.',
    run: ({ commands }) => void commands.toggleRunMode(),
  },
  {
    id: 'choose-model',
    label: 'Choose a model',
    group: 'Mode',
    keys: 'Mod+Shift+M',
    run: ({ view }) => view.set({ modelPickerOpen: true }),
  },
  {
    id: 'choose-folder',
    label: 'Choose the project folder',
    group: 'Mode',
    keys: 'Mod+Shift+O',
    run: ({ commands }) => void commands.chooseProject(),
  },
  {
    id: 'connect-model',
    label: 'Connect a model',
    group: 'Mode',
    run: ({ view }) => view.set({ dialog: { kind: 'settings', section: 'models' } }),
  },
  {
    id: 'toggle-inspector',
    label: 'Show or hide the inspector',
    group: 'View',
    keys: 'Mod+I',
    run: ({ commands }) => void commands.toggleInspector(),
  },
  {
    id: 'ddrs',
    label: 'DDRs: read, compare and approve',
    group: 'View',
    run: ({ view }) => view.set({ dialog: { kind: 'ddrs' } }),
  },
  {
    id: 'route-inspector',
    label: 'Try a line in the router',
    group: 'View',
    run: ({ commands }) => commands.inspect(null, 'route'),
  },
  {
    id: 'theme-light',
    label: 'Theme: light',
    group: 'View',
    run: ({ commands }) => void commands.changeSettings({ theme: 'light' }),
  },
  {
    id: 'theme-dark',
    label: 'Theme: dark',
    group: 'View',
    run: ({ commands }) => void commands.changeSettings({ theme: 'dark' }),
  },
  {
    id: 'theme-system',
    label: 'Theme: as the system',
    group: 'View',
    run: ({ commands }) => void commands.changeSettings({ theme: 'system' }),
  },
  {
    id: 'palette',
    label: 'Command palette',
    group: 'App',
    keys: 'Mod+K',
    run: ({ view }) => view.set({ dialog: { kind: 'palette' } }),
  },
  {
    id: 'settings',
    label: 'Settings',
    group: 'App',
    keys: 'Mod+,',
    run: ({ view }) => view.set({ dialog: { kind: 'settings', section: 'appearance' } }),
  },
  {
    id: 'shortcuts',
    label: 'All shortcuts',
    group: 'App',
    keys: '?',
    run: ({ view }) => view.set({ dialog: { kind: 'shortcuts' } }),
  },
];

/** The rows that can be used as things are. */
export function availableRows(app: WindowApp): readonly ActionRow[] {
  return actionRows.filter((row) => row.available?.(app) ?? true);
}

/** The shortcut of an action, for the controls that do the same. */
export function keysOf(id: string): string | undefined {
  return actionRows.find((row) => row.id === id)?.keys;
}
