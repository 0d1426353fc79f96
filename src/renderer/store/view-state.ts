import type { AppError } from '#shared/app-error';
import type { WorkspaceOverride } from '#shared/workspace';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { FocusTurn, InspectorTab } from './turn-actions';

export type SettingsSection = 'appearance' | 'models' | 'servers' | 'approvals' | 'shortcuts' | 'security';

/** The one dialog that may be open. */
export type OpenDialog =
  | { readonly kind: 'palette' }
  | { readonly kind: 'search'; readonly text?: string }
  | { readonly kind: 'shortcuts' }
  /** The list a turn's line led to, or that of a command to be spoken. */
  | { readonly kind: 'picker'; readonly turn: number }
  | { readonly kind: 'picker'; readonly commandId: string; readonly highlightId?: string }
  /** Keeps the run of a turn as a recipe. */
  | { readonly kind: 'recipe'; readonly turn: number }
  | { readonly kind: 'ddrs' }
  | { readonly kind: 'workspace' }
  | { readonly kind: 'workflows'; readonly workflowId?: string }
  | { readonly kind: 'settings'; readonly section: SettingsSection };

/** A passing word with, at most, one thing to do about it. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** A call that failed: what was tried, and why it did not work. */
export interface Failure {
  readonly title: string;
  readonly error: AppError;
}

/** What the window alone knows: which session is looked at, what is open above it. */
export interface ViewState {
  /** `null` is a session that begins with its first line. */
  readonly sessionId: string | null;
  readonly ready: boolean;
  readonly newProject: string | null;
  readonly dialog: OpenDialog | null;
  readonly modelPickerOpen: boolean;
  readonly railOpen: boolean;
  readonly renaming: string | null;
  readonly inspected: { readonly turn: number | null; readonly tab: InspectorTab };
  /** The search within the session on the screen; grows `tick` when its field should take the focus anew. */
  readonly find: { readonly tick: number } | null;
  /** The turn a search led to, in the session on the screen. */
  readonly focusTurn: FocusTurn | null;
  readonly failure: Failure | null;
  /** What the next line of the session on the screen takes instead of its own content; gone once it is sent. */
  readonly lineContent: WorkspaceOverride | null;
  /** Why Patina did not start; the window then shows nothing else. */
  readonly refused: AppError | null;
  readonly toasts: readonly Toast[];
  /** The newest thing a screen reader should say; `n` tells two equal ones apart. */
  readonly announcement: { readonly n: number; readonly text: string };
  /** Grows when the composer should take the draft and the focus anew. */
  readonly composerTick: number;
}

const firstView: ViewState = {
  sessionId: null,
  ready: false,
  newProject: null,
  dialog: null,
  modelPickerOpen: false,
  railOpen: false,
  renaming: null,
  inspected: { turn: null, tab: 'run' },
  find: null,
  focusTurn: null,
  failure: null,
  lineContent: null,
  refused: null,
  toasts: [],
  announcement: { n: 0, text: '' },
  composerTick: 0,
};

/** Older toasts give way: the newest three are enough to read. */
const maxToasts = 3;

export interface View {
  readonly store: StoreApi<ViewState>;
  readonly set: (patch: Partial<ViewState>) => void;
  readonly announce: (text: string) => void;
  readonly toast: (text: string, action?: Toast['action']) => void;
  readonly dismissToast: (id: number) => void;
  readonly fail: (title: string, error: AppError) => void;
  /** Opens the search within the session, or puts the focus back into it. */
  readonly openFind: () => void;
  /** The conversation brings this turn of the session on the screen into sight. */
  readonly showTurn: (turn: number) => void;
  /** The composer reads its draft again and takes the focus. */
  readonly focusComposer: () => void;
}

/** The window's own state, apart from the mirror of main. */
export function createView(): View {
  const store = createStore<ViewState>(() => firstView);
  let toastCount = 0;
  const announce = (text: string) =>
    store.setState(({ announcement }) => ({ announcement: { n: announcement.n + 1, text } }));
  return {
    store,
    announce,
    set: (patch) => store.setState(patch),
    toast: (text, action) => {
      toastCount += 1;
      const toast: Toast = { id: toastCount, text, ...(action && { action }) };
      store.setState(({ toasts }) => ({ toasts: [...toasts, toast].slice(-maxToasts) }));
      announce(text);
    },
    dismissToast: (id) =>
      store.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) })),
    fail: (title, error) => {
      store.setState({ failure: { title, error } });
      announce(`${title}: ${error.message}`);
    },
    openFind: () => store.setState(({ find }) => ({ find: { tick: (find?.tick ?? 0) + 1 } })),
    showTurn: (turn) =>
      store.setState(({ focusTurn }) => ({ focusTurn: { turn, tick: (focusTurn?.tick ?? 0) + 1 } })),
    focusComposer: () => store.setState(({ composerTick }) => ({ composerTick: composerTick + 1 })),
  };
}
