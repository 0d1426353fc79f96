import type { ConfigProblem } from '#shared/app-error';
import type { CommandDefinition } from '#shared/command';
import { chordProblem, readChord, writeChord } from '#shared/shortcut';
import type { WindowAction } from '#shared/window-action';
import { isWindowActionId } from '#shared/window-action-ids';
import type { SeedRow } from '../ports/seed-layer';

interface ShortcutRow {
  readonly file: string;
  readonly name: string;
  readonly shortcut: string | undefined;
}

function checkShortcuts(rows: readonly ShortcutRow[]): readonly ConfigProblem[] {
  const first = new Map<string, string>();
  return rows.flatMap(({ file, name, shortcut }) => {
    const chord = shortcut === undefined ? null : readChord(shortcut);
    if (chord === null) return [];
    const keys = writeChord(chord);
    const problem = chordProblem(chord);
    if (problem !== null) {
      return [{ file, field: 'shortcut', rule: 'shortcut-usable', reason: `These keys ${problem}.` }];
    }
    const holder = first.get(keys);
    first.set(keys, holder ?? name);
    if (holder === undefined) return [];
    const reason = `${keys} already belongs to "${holder}".`;
    return [{ file, field: 'shortcut', rule: 'shortcut-unique', reason }];
  });
}

/**
 * Checks the rows that palette, menu and shortcuts derive from: actions that the window does not know,
 * shortcuts that typing needs, and shortcuts that two rows share.
 */
export function checkActions(
  actions: readonly SeedRow<WindowAction>[],
  commands: readonly SeedRow<CommandDefinition>[],
): readonly ConfigProblem[] {
  const unknown = actions.flatMap(({ file, row }) => {
    if (isWindowActionId(row.actionId)) return [];
    const reason = `The window does not implement "${row.actionId}".`;
    return [{ file, field: 'actionId', rule: 'action-known', reason }];
  });
  const shortcutRows = [
    ...actions.map(({ file, row }) => ({ file, name: row.actionId, shortcut: row.shortcut })),
    ...commands.map(({ file, row }) => ({ file, name: row.commandId, shortcut: row.shortcut })),
  ];
  return [...unknown, ...checkShortcuts(shortcutRows)];
}
