import { useEffect } from 'react';
import { useApp } from '../store/app-context';
import { availableRows } from './action-rows';
import { pressed, typesText } from './shortcut';

function isEditing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, [contenteditable="true"]');
}

/** Runs the row whose keys are pressed, unless something nearer took the key or a dialog is open. */
export function useShortcuts(): void {
  const app = useApp();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const taken = event.defaultPrevented || event.isComposing || app.view.store.getState().dialog !== null;
      if (taken) return;
      const row = availableRows(app).find(({ keys }) => keys !== undefined && pressed(event, keys));
      if (!row?.keys || (typesText(row.keys) && isEditing(event.target))) return;
      event.preventDefault();
      row.run(app);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [app]);
}
