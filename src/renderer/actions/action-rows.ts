import { isListed } from '#shared/control-plane';
import { shortcutOf } from '#shared/shortcut';
import type { WindowAction } from '#shared/window-action';
import { isWindowActionId } from '#shared/window-action-ids';
import { useMemo } from 'react';
import { useMirror } from '../store/app-context';
import type { MirrorState } from '../store/mirror-state';
import { commandRows } from '../store/slash-lines';
import type { WindowApp } from '../store/start-window';
import { implementations, type Implementation } from './implementations';
import { openCommand } from './open-command';

/** The groups in display order; commands follow the window's own actions. */
export const actionGroups = ['Session', 'Mode', 'View', 'App', 'Help', 'Commands'] as const;

/** An entry that a key, the menu or the palette can start: a row of `seeds/actions`, or a slash command. */
export interface ActionRow extends Implementation {
  /** The id of an action or command. */
  readonly id: string;
  readonly label: string;
  readonly group: (typeof actionGroups)[number];
  /** The slash name of a window action. */
  readonly slash?: string;
  /** Whether lists show it; its shortcut works anyway. */
  readonly listed: boolean;
  /** The current shortcut. */
  readonly keys?: string;
  /** The row's default shortcut. */
  readonly ownKeys?: string;
}

type RowsFrom = Pick<MirrorState, 'info' | 'controlPlane' | 'settings'>;

interface Named {
  readonly id: string;
  readonly label: string;
  readonly group: ActionRow['group'];
  readonly shortcut: string | undefined;
  readonly slash?: string;
  readonly listed: boolean;
}

/** All rows available now; empty until main has sent them. */
export function rowsFrom({ info, controlPlane, settings }: RowsFrom): readonly ActionRow[] {
  const row = ({ shortcut, ...named }: Named, implementation: Implementation): ActionRow => {
    const keys = shortcutOf(named.id, shortcut, settings.shortcuts);
    const ownKeys = shortcut !== undefined && { ownKeys: shortcut };
    return { ...named, ...implementation, ...ownKeys, ...(keys !== undefined && { keys }) };
  };
  const unlisted = controlPlane?.unlisted ?? [];
  const actions = (info?.actions ?? []).flatMap((action) => {
    const { actionId: id, displayName: label, group, shortcut, slash, listedWith = '' } = action;
    if (!isWindowActionId(id)) return [];
    const named = {
      id,
      label,
      group,
      shortcut,
      listed: !unlisted.includes(listedWith),
      ...(slash && { slash }),
    };
    return [row(named, implementations[id])];
  });
  const commands = commandRows(controlPlane).map((command) => {
    const { commandId: id, displayName: label, shortcut } = command;
    const named = {
      id,
      label,
      group: 'Commands' as const,
      shortcut,
      listed: isListed({ unlisted }, command),
    };
    return row(named, { run: (app) => openCommand(app, command) });
  });
  return [...actions, ...commands];
}

/** The current rows, for one-time use outside rendering. */
export function actionRows({ mirror }: WindowApp): readonly ActionRow[] {
  return rowsFrom(mirror.store.getState());
}

/** The current rows, for rendering. */
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

/** The current shortcut of an action, for controls that trigger the same action. */
export function useKeysOf(id: string): string | undefined {
  return useMirror(({ info, settings }) =>
    shortcutOf(id, ownShortcut(info?.actions, id), settings.shortcuts),
  );
}
