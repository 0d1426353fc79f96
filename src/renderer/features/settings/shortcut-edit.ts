import { chordProblem, sameShortcut, writeChord, type Chord, type ShortcutChanges } from '#shared/shortcut';
import type { ActionRow } from '../../actions/action-rows';

/** The result of recording keys. */
export type Recorded =
  | { readonly kind: 'taken'; readonly changes: ShortcutChanges }
  /** `problem` completes "These keys …". */
  | { readonly kind: 'refused'; readonly problem: string }
  /** Another row has these keys; `changes` would assign them to this row and leave the other without. */
  | {
      readonly kind: 'conflict';
      readonly keys: string;
      readonly with: ActionRow;
      readonly changes: ShortcutChanges;
    };

/** The changes with one row's shortcut set; a row's default is not stored as a change. */
export function withShortcut(changes: ShortcutChanges, row: ActionRow, keys: string | null): ShortcutChanges {
  const { [row.id]: _before, ...others } = changes;
  const own =
    keys === null ? row.ownKeys === undefined : row.ownKeys !== undefined && sameShortcut(row.ownKeys, keys);
  return own ? others : { ...others, [row.id]: keys };
}

/** Whether a row's shortcut differs from its default. */
export const isChanged = (row: ActionRow): boolean => row.keys !== row.ownKeys;

/** Decides what to do with keys recorded for a row. Pure. */
export function recordShortcut(
  rows: readonly ActionRow[],
  row: ActionRow,
  chord: Chord,
  changes: ShortcutChanges,
): Recorded {
  const problem = chordProblem(chord);
  if (problem !== null) return { kind: 'refused', problem };
  const keys = writeChord(chord);
  const next = withShortcut(changes, row, keys);
  const holder = rows.find(
    ({ id, keys: current }) => id !== row.id && current !== undefined && sameShortcut(current, keys),
  );
  if (!holder) return { kind: 'taken', changes: next };
  return { kind: 'conflict', keys, with: holder, changes: withShortcut(next, holder, null) };
}

/** Restores a row's default shortcut; a row that took it meanwhile loses it. */
export function resetShortcut(
  rows: readonly ActionRow[],
  row: ActionRow,
  changes: ShortcutChanges,
): ShortcutChanges {
  const { [row.id]: _changed, ...rest } = changes;
  const { ownKeys } = row;
  const holder =
    ownKeys === undefined
      ? undefined
      : rows.find(({ id, keys }) => id !== row.id && keys !== undefined && sameShortcut(keys, ownKeys));
  return holder ? withShortcut(rest, holder, null) : rest;
}

/** Restores all default shortcuts; keeps changes for rows that are not listed here. */
export function resetAll(rows: readonly ActionRow[], changes: ShortcutChanges): ShortcutChanges {
  const here = new Set(rows.map(({ id }) => id));
  return Object.fromEntries(Object.entries(changes).filter(([id]) => !here.has(id)));
}
