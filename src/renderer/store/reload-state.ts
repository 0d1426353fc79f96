import { z } from 'zod';
import { settingsSections } from '#shared/setting-rows';
import type { Commands } from './commands';
import type { DraftStorage } from './drafts';
import { inspectorTabs, type Reloaded } from './turn-actions';
import type { SessionMirror } from './session-mirror';
import type { View, ViewState } from './view-state';

const key = 'patina.reload';

/** What the user would miss when the page loads again, as it does for another language. */
const Stored = z.object({
  sessionId: z.string().nullable(),
  place: z.object({ turn: z.number(), above: z.number() }).nullable(),
  edited: z.object({ turn: z.number(), text: z.string() }).nullable(),
  settings: z.enum(settingsSections).nullable(),
  inspected: z.object({ turn: z.number().nullable(), tab: z.enum(inspectorTabs) }),
});
export type ReloadState = z.infer<typeof Stored>;

/** The state of the page alone: the position in the conversation, and the text of a line that is being edited. */
export type OnPage = Pick<ReloadState, 'place' | 'edited'>;

/** Stores it in the storage of this window, which outlives the page and ends with the window. */
export function saveForReload(storage: DraftStorage, view: ViewState, onPage: OnPage): void {
  const { sessionId, dialog, inspected } = view;
  const settings = dialog?.kind === 'settings' ? dialog.section : null;
  try {
    storage.setItem(key, JSON.stringify({ sessionId, inspected, settings, ...onPage } satisfies ReloadState));
  } catch {
    // Beyond the storage quota, the page opens as at the start.
    storage.removeItem(key);
  }
}

/** What the page before this one stored; null at the start of the window. */
export function takeReloadState(storage: DraftStorage): ReloadState | null {
  const stored = storage.getItem(key);
  storage.removeItem(key);
  try {
    const read = Stored.safeParse(JSON.parse(stored ?? 'null'));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/** Before the conversation is drawn: where it stands, and what is being edited. */
export function restoreReading(view: View, { place, edited }: ReloadState): void {
  const reloaded: Reloaded = { place, edited: edited?.text ?? null };
  view.set({ reloaded, editing: edited?.turn ?? null });
}

/** After the first screen is there: the dialog and the inspector. */
export function restorePanels(view: View, { settings, inspected }: ReloadState): void {
  view.set({ inspected });
  if (settings !== null) view.set({ dialog: { kind: 'settings', section: settings } });
}

/** A field that saves its text when it loses the focus does so now. */
function saveFocused(): void {
  const field = document.activeElement;
  if (!(field instanceof HTMLInputElement)) return;
  field.blur();
  field.focus({ preventScroll: true });
}

interface UnloadDeps {
  readonly mirror: SessionMirror;
  readonly view: View;
  readonly commands: Pick<Commands, 'changeSettings'>;
}

/**
 * Keeps the page while the open dialog has typed text that would be lost, which the dialog then says: the second
 * close of the window closes it; the page of another language loads once the dialog is gone. Returns the function
 * that stops it.
 */
export function guardUnload({ mirror, view, commands }: UnloadDeps): () => void {
  const languageNow = () => mirror.store.getState().settings.language;
  const language = languageNow();
  let waits = false;
  const onUnload = (event: Event) => {
    saveFocused();
    const reloads = languageNow() !== language;
    if (!view.holdsDialog(!reloads)) return;
    event.preventDefault();
    waits = reloads;
  };
  window.addEventListener('beforeunload', onUnload);
  const stop = view.store.subscribe(({ dialog }) => {
    if (dialog !== null || !waits) return;
    waits = false;
    // Main tries again to load the page of the language.
    void commands.changeSettings({ language: languageNow() });
  });
  return () => {
    window.removeEventListener('beforeunload', onUnload);
    stop();
  };
}
