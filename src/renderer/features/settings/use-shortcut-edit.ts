import type { Chord, ShortcutChanges } from '#shared/shortcut';
import { useState } from 'react';
import { useActionRows, type ActionRow } from '../../actions/action-rows';
import { keysInWords } from '../../ui/key-press';
import { useApp, useMirror } from '../../store/app-context';
import { recordShortcut, resetAll, resetShortcut, withShortcut, type Recorded } from './shortcut-edit';

/** The row whose keys are being recorded, and what the last press came to. */
interface Editing {
  readonly id: string;
  readonly outcome: Exclude<Recorded, { kind: 'taken' }> | null;
}

/** Changing shortcuts: one row at a time listens for keys; what it hears is kept, refused or named as a conflict. */
export function useShortcutEdit() {
  const { commands, view } = useApp();
  const rows = useActionRows();
  const changes = useMirror((mirror) => mirror.settings.shortcuts);
  const [editing, setEditing] = useState<Editing | null>(null);

  function save(next: ShortcutChanges, said: string): void {
    setEditing(null);
    view.announce(said);
    void commands.changeSettings({ shortcuts: { ...next } });
  }
  return {
    rows,
    editing,
    begin: (row: ActionRow) => setEditing({ id: row.id, outcome: null }),
    leave: () => setEditing(null),
    record(row: ActionRow, chord: Chord) {
      const recorded = recordShortcut(rows, row, chord, changes);
      if (recorded.kind === 'taken') save(recorded.changes, `${row.label}: shortcut changed`);
      else setEditing({ id: row.id, outcome: recorded });
    },
    takeOver(row: ActionRow) {
      const outcome = editing?.outcome;
      if (outcome?.kind !== 'conflict') return;
      save(outcome.changes, `${row.label} has ${keysInWords(outcome.keys)} now`);
    },
    clear: (row: ActionRow) => save(withShortcut(changes, row, null), `${row.label}: no shortcut`),
    reset: (row: ActionRow) => save(resetShortcut(rows, row, changes), `${row.label}: default shortcut`),
    resetAll: () => save(resetAll(rows, changes), 'All shortcuts are as they came'),
  };
}

export type ShortcutEdit = ReturnType<typeof useShortcutEdit>;
