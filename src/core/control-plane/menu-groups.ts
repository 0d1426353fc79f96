import { isListed, type CommandRow } from '#shared/control-plane';
import { shortcutOf, type ShortcutChanges } from '#shared/shortcut';
import type { WindowAction } from '#shared/window-action';
import type { MenuGroup, MenuRow } from '../ports/app-menu';

export interface MenuRows {
  readonly actions: readonly WindowAction[];
  /** The active commands of the session on the screen. */
  readonly commands: readonly CommandRow[];
  /** Ids of the sources that lists leave out, as in the view of the control plane. */
  readonly unlisted: readonly string[];
  /** The user's own shortcuts. */
  readonly shortcuts: ShortcutChanges;
}

/** The groups of the application menu, in menu order. */
const groups = [
  { group: 'App', label: 'Patina' },
  { group: 'Session', label: 'Session' },
  { group: 'Mode', label: 'Mode' },
  { group: 'View', label: 'View' },
] as const;

/**
 * Builds the application menu from the rows that palette and shortcuts derive from, and from the commands
 * that have a slash name.
 */
export function menuGroups({ actions, commands, unlisted, shortcuts }: MenuRows): readonly MenuGroup[] {
  const row = (id: string, label: string, own: string | undefined): MenuRow => {
    const shortcut = shortcutOf(id, own, shortcuts);
    return { id, label, ...(shortcut !== undefined && { shortcut }) };
  };
  const ofGroup = (group: WindowAction['group']): readonly MenuRow[] =>
    actions
      .filter((action) => action.group === group && !unlisted.includes(action.listedWith ?? ''))
      .map(({ actionId, displayName, shortcut }) => row(actionId, displayName, shortcut));
  const ofActions = groups.map(({ group, label }) => ({ label, rows: ofGroup(group) }));
  const spoken = commands
    .filter(({ slash, actionId }) => slash !== undefined && actionId === undefined)
    .filter((command) => isListed({ unlisted }, command))
    .map(({ commandId, displayName, shortcut }) => row(commandId, displayName, shortcut));
  const help = { label: 'Help', rows: ofGroup('Help') };
  return [...ofActions, { label: 'Commands', rows: spoken }, help].filter(({ rows }) => rows.length > 0);
}
