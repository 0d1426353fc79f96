import { shortcutOf } from '#shared/shortcut';
import type { WindowAction } from '#shared/window-action';
import { isWindowActionId } from '#shared/window-action-ids';
import { useMemo } from 'react';
import { useMirror } from '../store/app-context';
import type { MirrorState } from '../store/mirror-state';
import { slashRows } from '../store/slash-lines';
import type { WindowApp } from '../store/start-window';
import { implementations, type Implementation } from './implementations';
import { openCommand } from './open-command';

/** The groups in the order they are shown in; commands stand after the window's own actions. */
export const actionGroups = ['Session', 'Mode', 'View', 'App', 'Commands'] as const;

/** One thing a key, the menu or the palette can start: a row of `seeds/actions`, or a command that can be spoken. */
export interface ActionRow extends Implementation {
  /** An action's or a command's id. */
  readonly id: string;
  readonly label: string;
  readonly group: (typeof actionGroups)[number];
  /** The shortcut that holds now. */
  readonly keys?: string;
  /** The shortcut the row came with. */
  readonly ownKeys?: string;
}

type RowsFrom = Pick<MirrorState, 'info' | 'controlPlane' | 'settings'>;

interface Named {
  readonly id: string;
  readonly label: string;
  readonly group: ActionRow['group'];
  readonly shortcut: string | undefined;
}

/** Every row there is now; none until main has told them. */
export function rowsFrom({ info, controlPlane, settings }: RowsFrom): readonly ActionRow[] {
  const row = ({ shortcut, ...named }: Named, implementation: Implementation): ActionRow => {
    const keys = shortcutOf(named.id, shortcut, settings.shortcuts);
    const ownKeys = shortcut !== undefined && { ownKeys: shortcut };
    return { ...named, ...implementation, ...ownKeys, ...(keys !== undefined && { keys }) };
  };
  const actions = (info?.actions ?? []).flatMap(({ actionId: id, displayName, group, shortcut }) =>
    isWindowActionId(id) ? [row({ id, label: displayName, group, shortcut }, implementations[id])] : [],
  );
  const commands = slashRows(controlPlane).map((command) => {
    const { commandId: id, displayName: label, shortcut } = command;
    return row({ id, label, group: 'Commands', shortcut }, { run: (app) => openCommand(app, command) });
  });
  return [...actions, ...commands];
}

/** The rows as they are at this moment, for what happens once. */
export function actionRows({ mirror }: WindowApp): readonly ActionRow[] {
  return rowsFrom(mirror.store.getState());
}

/** The rows, for what is drawn. */
export function useActionRows(): readonly ActionRow[] {
  const info = useMirror((mirror) => mirror.info);
  const controlPlane = useMirror((mirror) => mirror.controlPlane);
  const settings = useMirror((mirror) => mirror.settings);
  return useMemo(() => rowsFrom({ info, controlPlane, settings }), [info, controlPlane, settings]);
}

export function isAvailable(row: ActionRow, app: WindowApp): boolean {
  return row.available?.(app) ?? true;
}

const ownShortcut = (actions: readonly WindowAction[] | undefined, id: string): string | undefined =>
  actions?.find(({ actionId }) => actionId === id)?.shortcut;

/** The shortcut of an action as it holds now, for the controls that do the same. */
export function useKeysOf(id: string): string | undefined {
  return useMirror(({ info, settings }) =>
    shortcutOf(id, ownShortcut(info?.actions, id), settings.shortcuts),
  );
}
