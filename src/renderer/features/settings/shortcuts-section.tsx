import { writeChord, type Chord, type ShortcutChanges } from '#shared/shortcut';
import { RotateCcw, X } from 'lucide-react';
import { useRef, useState, type KeyboardEvent } from 'react';
import { richText, text } from '../../locales/text';
import { actionGroups, useActionRows, type ActionRow } from '../../actions/action-rows';
import { chordOf, keysText } from '../../ui/key-press';
import { Button } from '../../ui/button';
import { IconButton } from '../../ui/icon-button';
import { Keys } from '../../ui/keys';
import {
  isChanged,
  recordShortcut,
  resetAll,
  resetShortcut,
  withShortcut,
  type Recorded,
} from './shortcut-edit';
import { useApp, useMirror } from '../../store/app-context';

interface RowProps {
  readonly row: ActionRow;
  readonly edit: ShortcutEdit;
}

/** Records keys while it is active; Escape changes nothing. */
function KeysButton({ row, edit }: RowProps) {
  const listening = edit.editing?.id === row.id;
  const take = (chord: Chord) => {
    const keys = writeChord(chord);
    if (keys === 'Escape' && row.ownKeys !== keys) edit.leave();
    else if (keys === 'Backspace' || keys === 'Delete') edit.clear(row);
    else edit.record(row, chord);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!listening || event.key === 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
    const chord = chordOf(event.nativeEvent);
    if (chord) take(chord);
  };
  return (
    <button
      type="button"
      id={`keys-${row.id}`}
      aria-labelledby={`name-${row.id} keys-${row.id}`}
      aria-pressed={listening}
      onClick={() => (listening ? edit.leave() : edit.begin(row))}
      onKeyDown={onKeyDown}
      className="flex h-7 min-w-28 items-center justify-center rounded-md border border-line px-2 text-xs text-muted transition-colors hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-text"
    >
      {listening ? (
        text('settings.shortcuts.listening')
      ) : row.keys === undefined ? (
        text('settings.shortcuts.none')
      ) : (
        <Keys keys={row.keys} />
      )}
    </button>
  );
}

function Outcome({ row, edit }: RowProps) {
  const outcome = edit.editing?.id === row.id ? edit.editing.outcome : null;
  if (!outcome) return null;
  return (
    <div role="alert" className="mb-2 rounded-md bg-copper-soft px-2.5 py-2 text-xs">
      {outcome.kind === 'refused' ? (
        text('settings.shortcuts.refused', { problem: outcome.problem })
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 flex-1">
            {richText('settings.shortcuts.conflict', {
              keys: <Keys keys={outcome.keys} />,
              other: outcome.with.label,
            })}
          </span>
          <Button className="h-7 px-2" onClick={() => edit.takeOver(row)}>
            {text('settings.shortcuts.takeOver')}
          </Button>
          <Button tone="quiet" className="h-7 px-2" onClick={edit.leave}>
            {text('shared.cancel')}
          </Button>
        </div>
      )}
    </div>
  );
}

function ShortcutRow({ row, edit }: RowProps) {
  const line = useRef<HTMLLIElement>(null);
  // A button that disappears when clicked leaves the focus on the keys.
  const act = (change: (row: ActionRow) => void) => {
    change(row);
    line.current?.querySelector('button')?.focus();
  };
  return (
    <li ref={line}>
      <div className="flex min-h-9 items-center gap-1.5 text-sm">
        <span id={`name-${row.id}`} className="min-w-0 flex-1">
          {row.label}
        </span>
        <KeysButton row={row} edit={edit} />
        <IconButton
          bare
          icon={X}
          label={text('settings.shortcuts.remove', { name: row.label })}
          disabled={row.keys === undefined}
          onClick={() => act(edit.clear)}
        />
        <IconButton
          bare
          icon={RotateCcw}
          label={text('settings.shortcuts.reset', { name: row.label })}
          disabled={!isChanged(row)}
          onClick={() => act(edit.reset)}
        />
      </div>
      <Outcome row={row} edit={edit} />
    </li>
  );
}

/** All actions and commands with their keys, each editable. */
export function ShortcutsSection() {
  const edit = useShortcutEdit();
  return (
    <div className="flex flex-col gap-5">
      <div className="flex items-center gap-3">
        <p className="min-w-0 flex-1 text-sm text-muted">{text('settings.shortcuts.about')}</p>
        <Button disabled={!edit.rows.some(isChanged)} onClick={edit.resetAll}>
          {text('settings.shortcuts.resetAll')}
        </Button>
      </div>
      {actionGroups.map((group) => {
        const rows = edit.rows.filter((row) => row.group === group && (row.listed || row.keys !== undefined));
        if (rows.length === 0) return null;
        return (
          <section key={group} aria-labelledby={`keys-of-${group}`}>
            <h4 id={`keys-of-${group}`} className="mb-1 text-xs font-medium text-muted">
              {text(`shared.groups.${group}`)}
            </h4>
            <ul className="divide-y divide-line">
              {rows.map((row) => (
                <ShortcutRow key={row.id} row={row} edit={edit} />
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

/** The row whose keys are being recorded, and the result of the last key press. */
interface Editing {
  readonly id: string;
  readonly outcome: Exclude<Recorded, { kind: 'taken' }> | null;
}

/** Editing shortcuts: one row at a time records keys, which are saved, refused or reported as a conflict. */
function useShortcutEdit() {
  const { commands, view } = useApp();
  const rows = useActionRows();
  const changes = useMirror((mirror) => mirror.settings.shortcuts);
  const [editing, setEditing] = useState<Editing | null>(null);

  function save(next: ShortcutChanges, message: string): void {
    setEditing(null);
    view.announce(message);
    void commands.changeSettings({ shortcuts: { ...next } });
  }
  return {
    rows,
    editing,
    begin: (row: ActionRow) => setEditing({ id: row.id, outcome: null }),
    leave: () => setEditing(null),
    record(row: ActionRow, chord: Chord) {
      const recorded = recordShortcut(rows, row, chord, changes);
      if (recorded.kind === 'taken')
        save(recorded.changes, text('settings.shortcuts.changed', { name: row.label }));
      else setEditing({ id: row.id, outcome: recorded });
    },
    takeOver(row: ActionRow) {
      const outcome = editing?.outcome;
      if (outcome?.kind !== 'conflict') return;
      save(
        outcome.changes,
        text('settings.shortcuts.takenOver', { name: row.label, keys: keysText(outcome.keys) }),
      );
    },
    clear: (row: ActionRow) =>
      save(withShortcut(changes, row, null), text('settings.shortcuts.removed', { name: row.label })),
    reset: (row: ActionRow) =>
      save(resetShortcut(rows, row, changes), text('settings.shortcuts.restored', { name: row.label })),
    resetAll: () => save(resetAll(rows, changes), text('settings.shortcuts.allReset')),
  };
}

type ShortcutEdit = ReturnType<typeof useShortcutEdit>;
