import { busyTurn } from '../store/session-view';
import type { WindowApp } from '../store/start-window';

/** One thing the window can do. Palette, shortcuts and their list all come from these rows. */
export interface ActionRow {
  readonly id: string;
  readonly label: string;
  readonly group: 'Session' | 'Mode' | 'View' | 'App';
  readonly keys?: string;
  readonly run: (app: WindowApp) => void;
}

function current({ mirror, view }: WindowApp) {
  const { sessionId } = view.store.getState();
  return sessionId === null ? undefined : mirror.store.getState().sessions[sessionId];
}

/** Closes what lies on top; with nothing there, stops what is being done. */
function stopOrClose(app: WindowApp): void {
  const { railOpen, failure } = app.view.store.getState();
  if (railOpen) return app.view.set({ railOpen: false });
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
    run: (app) => {
      const session = current(app);
      if (session) app.view.set({ renaming: session.id });
    },
  },
  {
    id: 'archive-session',
    label: 'Archive this session',
    group: 'Session',
    run: (app) => {
      const session = current(app);
      if (session) void app.commands.archiveSession(session.id);
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

/** The shortcut of an action, for the controls that do the same. */
export function keysOf(id: string): string | undefined {
  return actionRows.find((row) => row.id === id)?.keys;
}
