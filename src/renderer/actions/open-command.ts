import type { SlashRow } from '../store/slash-lines';
import { commandForItem } from '../store/slash-lines';
import type { WindowApp } from '../store/start-window';

/** Starts a slash command from any control: its list opens. */
export function openCommand({ commands, mirror, view }: WindowApp, row: SlashRow): void {
  const { controlPlane } = mirror.store.getState();
  if (commandForItem(controlPlane, row)) view.set({ dialog: { kind: 'picker', commandId: row.commandId } });
  // The window cannot handle its items: the host opens the list and handles the choice.
  else void commands.send(`/${row.slash}`);
}
