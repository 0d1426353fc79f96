import type { AppError } from '#shared/app-error';
import type { AttachSource, ContextItem } from '#shared/context-item';
import type { ModelParameters } from '#shared/model-parameters';
import type { SettingName, SettingsSection } from '#shared/setting-rows';
import type { WorkspaceOverride } from '#shared/workspace';
import type { WindowActionCall } from '#shared/window-action';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ModelRef } from '#shared/model';
import type { FocusTurn, InspectorTab, Reloaded } from './turn-actions';

/** The open dialog; at most one is open at a time. */
export type OpenDialog =
  | { readonly kind: 'palette' }
  | { readonly kind: 'search'; readonly text?: string }
  | { readonly kind: 'shortcuts' }
  | { readonly kind: 'help' }
  /** The picker of a turn's line, or of a slash command. */
  | { readonly kind: 'picker'; readonly turn: number }
  | { readonly kind: 'picker'; readonly commandId: string; readonly highlightId?: string }
  /** Saves the run of a turn as a recipe. */
  | { readonly kind: 'recipe'; readonly turn: number }
  /** The plan of a turn's run that waits for a review. */
  | { readonly kind: 'plan'; readonly turn: number }
  | { readonly kind: 'run-diff'; readonly runId: string }
  /** Writes the code of a reply to a file. */
  | { readonly kind: 'write-code'; readonly code: string; readonly fence: string }
  /** What the user knows better of a model. */
  | { readonly kind: 'model'; readonly model: ModelRef }
  /** The sign-in of a server whose call failed. */
  | { readonly kind: 'sign-in'; readonly server: string }
  | { readonly kind: 'ddrs' }
  | { readonly kind: 'workspace' }
  | { readonly kind: 'workflows'; readonly workflowId?: string }
  /** `setting`: the one to show first. */
  | { readonly kind: 'settings'; readonly section: SettingsSection; readonly setting?: SettingName };

/** A temporary message with at most one action. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** A failed call: the attempted action and the reason for the failure. */
export interface Failure {
  readonly title: string;
  readonly error: AppError;
}

/** An item of the next line; `key` tells equal ones apart. */
export type DraftItem = { readonly key: number; readonly name: string } &
  /** Its `path`, if it is a file or a folder, to read it again. */
  (
    | { readonly status: 'reading'; readonly path?: string }
    | { readonly status: 'ready'; readonly item: ContextItem }
    /** It looks like a secret, and the user has not confirmed it. */
    | { readonly status: 'asks'; readonly why: string; readonly source: AttachSource }
  );

/** State that only the window has: the session on the screen and the dialogs open above it. */
export interface ViewState {
  /** The session that this window shows and no other; null in the main window. */
  readonly ownSession: string | null;
  /** `null` is a session that its first line creates. */
  readonly sessionId: string | null;
  readonly ready: boolean;
  readonly newProject: string | null;
  readonly dialog: OpenDialog | null;
  readonly modelPickerOpen: boolean;
  /** The turn that the picked model takes over. */
  readonly modelFor: number | null;
  readonly railOpen: boolean;
  readonly renaming: string | null;
  readonly inspected: { readonly turn: number | null; readonly tab: InspectorTab };
  /** The search within the session on the screen; a higher `tick` focuses its field again. */
  readonly find: { readonly tick: number } | null;
  /** The turn that a search led to, in the session on the screen. */
  readonly focusTurn: FocusTurn | null;
  /** What a page that loaded again takes over, until the user reads or edits elsewhere. */
  readonly reloaded: Reloaded | null;
  /** The turn whose line is being edited, in the session on the screen. */
  readonly editing: number | null;
  readonly failure: Failure | null;
  /** What the user attached to the next line of each session. */
  readonly draftItems: Readonly<Record<string, readonly DraftItem[]>>;
  /** The items of lines that are being sent, by their draft: they are there again if the window ends before. */
  readonly leavingItems: Readonly<Record<string, readonly ContextItem[]>>;
  /** Content that the next line uses instead of the session's own; cleared once the line is sent. */
  readonly lineContent: WorkspaceOverride | null;
  /** Parameters of the next line of Ask alone; cleared once it is sent. */
  readonly lineParameters: ModelParameters | null;
  /** Why Patina did not start; the window then shows nothing else. */
  readonly refused: AppError | null;
  readonly toasts: readonly Toast[];
  /** The newest screen reader announcement; `n` distinguishes two equal texts. */
  readonly announcement: { readonly n: number; readonly text: string };
  /** Increases when the composer should reload the draft and take the focus. */
  readonly composerTick: number;
  /** What a line asked the window to do; whoever carries it out clears it. */
  readonly requested: WindowActionCall | null;
}

const firstView: ViewState = {
  ownSession: null,
  sessionId: null,
  ready: false,
  newProject: null,
  dialog: null,
  modelPickerOpen: false,
  modelFor: null,
  railOpen: false,
  renaming: null,
  inspected: { turn: null, tab: 'run' },
  find: null,
  focusTurn: null,
  reloaded: null,
  editing: null,
  failure: null,
  draftItems: {},
  leavingItems: {},
  lineContent: null,
  lineParameters: null,
  refused: null,
  toasts: [],
  announcement: { n: 0, text: '' },
  composerTick: 0,
  requested: null,
};

/** Maximum number of toasts; the oldest is removed first. */
const maxToasts = 3;

/** Whether the open dialog stays open; it then says why. If the user closes it (`repeatable`), only once. */
type DialogGuard = (repeatable: boolean) => boolean;

export interface View {
  readonly store: StoreApi<ViewState>;
  /** Changes the view; nothing of a change that closes a dialog, if its guard keeps it open. */
  readonly set: (patch: Partial<ViewState>) => void;
  /** Registers the guard of the open dialog; returns its release. */
  readonly guardDialog: (guard: DialogGuard) => () => void;
  /** Whether the guard of the open dialog keeps it open, and so the page that would unload with it. */
  readonly holdsDialog: DialogGuard;
  /** Closes or replaces the open dialog, of which nothing is left to save. */
  readonly finishDialog: (next?: OpenDialog) => void;
  /** Closes the open dialog for what the user did elsewhere; false if its guard keeps it open. */
  readonly leaveDialog: () => boolean;
  readonly announce: (text: string) => void;
  readonly toast: (text: string, action?: Toast['action']) => void;
  readonly dismissToast: (id: number) => void;
  readonly fail: (title: string, error: AppError) => void;
  /** Opens the search within the session, or focuses it if it is open. */
  readonly openFind: () => void;
  /** Scrolls the conversation to this turn of the session on the screen. */
  readonly showTurn: (turn: number) => void;
  /** The composer reloads its draft and takes the focus. */
  readonly focusComposer: () => void;
}

/** The window's own state, separate from the mirror of main. */
export function createView(ownSession: string | null = null): View {
  const store = createStore<ViewState>(() => ({ ...firstView, ownSession }));
  let toastCount = 0;
  let guard: DialogGuard | null = null;
  const announce = (text: string) =>
    store.setState(({ announcement }) => ({ announcement: { n: announcement.n + 1, text } }));
  return {
    store,
    announce,
    set: (patch) => {
      const { dialog } = store.getState();
      const closes = patch.dialog !== undefined && patch.dialog?.kind !== dialog?.kind;
      if (!closes || !guard?.(true)) store.setState(patch);
    },
    guardDialog: (added) => {
      guard = added;
      return () => {
        if (guard === added) guard = null;
      };
    },
    holdsDialog: (repeatable) => guard?.(repeatable) ?? false,
    finishDialog: (next) => store.setState({ dialog: next ?? null }),
    leaveDialog: () => {
      if (guard?.(false)) return false;
      store.setState({ dialog: null });
      return true;
    },
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
