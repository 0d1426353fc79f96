import type { SlashRow } from '../store/slash-lines';
import { takingCommand } from '../store/slash-lines';
import type { WindowApp } from '../store/start-window';

/** Begins a command that can be spoken, from wherever it was named: its list opens. */
export function openCommand({ commands, mirror, view }: WindowApp, row: SlashRow): void {
  const { controlPlane } = mirror.store.getState();
  if (takingCommand(controlPlane, row)) view.set({ dialog: { kind: 'picker', commandId: row.commandId } });
  // Nothing here takes up its items: the host opens its list, and knows what follows.
  else void commands.send(`/${row.slash}`);
}
