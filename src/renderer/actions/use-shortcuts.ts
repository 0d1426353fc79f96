import { useEffect } from 'react';
import { text } from '../locales/text';
import { useApp } from '../store/app-context';
import type { WindowApp } from '../store/start-window';
import { actionRows, isAvailable } from './action-rows';
import { runRequest } from './implementations';
import { chordOf, pressed, typesText, type KeyPress } from '../ui/key-press';

function isEditing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, [contenteditable="true"]');
}

/** Runs the row with these keys; returns whether there was one. */
function runPressed(app: WindowApp, press: KeyPress, editing: boolean): boolean {
  const row = actionRows(app).find(
    (candidate) =>
      candidate.keys !== undefined && pressed(press, candidate.keys) && isAvailable(candidate, app),
  );
  if (!row?.keys || (editing && typesText(row.keys))) return false;
  row.run(app);
  return true;
}

/** Buffers keys pressed before main has sent the shortcuts and runs them once they arrive. */
function bufferEarlyKey(app: WindowApp, event: KeyboardEvent): void {
  const chord = chordOf(event);
  if (!chord?.mod) return;
  event.preventDefault();
  const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
  const stop = app.mirror.store.subscribe(({ info }) => {
    if (!info) return;
    stop();
    runPressed(app, { key, ctrlKey, metaKey, shiftKey, altKey }, false);
  });
}

/** Runs the row of a pressed shortcut, unless a closer element handled the key or a dialog is open. */
export function useShortcuts(): void {
  const app = useApp();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const ignored =
        event.defaultPrevented || event.isComposing || app.view.store.getState().dialog !== null;
      if (ignored) return;
      if (!app.mirror.store.getState().info) return bufferEarlyKey(app, event);
      if (runPressed(app, event, isEditing(event.target))) event.preventDefault();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [app]);
}

/**
 * Runs a row chosen in the application menu. Closes the open dialog first, because the row may open another;
 * does nothing if the dialog stays open.
 */
export function useMenu(): void {
  const app = useApp();
  useEffect(
    () =>
      app.mirror.store.subscribe(({ menuChosen }, before) => {
        if (!menuChosen || menuChosen === before.menuChosen) return;
        const row = actionRows(app).find(({ id }) => id === menuChosen.id);
        if (!row || !isAvailable(row, app)) return app.view.toast(text('actions.unavailable'));
        if (app.view.leaveDialog()) row.run(app);
      }),
    [app],
  );
}

/** Carries out what a line asked the window to do, as its row does. */
export function useRequests(): void {
  const app = useApp();
  useEffect(
    () =>
      app.view.store.subscribe(({ requested }) => {
        if (!requested) return;
        app.view.set({ requested: null });
        runRequest(app, requested);
      }),
    [app],
  );
}

/** Opens the session that a notification or another window asks for, behind a dialog that stays open. */
export function useCalledSession(): void {
  const app = useApp();
  useEffect(
    () =>
      app.mirror.store.subscribe(({ sessionCalled }, before) => {
        if (!sessionCalled || sessionCalled === before.sessionCalled) return;
        app.view.leaveDialog();
        void app.commands.openSession(sessionCalled.sessionId, sessionCalled.turn);
      }),
    [app],
  );
}
