import type { CommandDefinition } from '#shared/command';
import type { CommandRow } from '#shared/control-plane';
import type { CommandCall } from '#shared/route';
import type { RunMode } from '#shared/run-mode';
import type { SessionState } from '#shared/session-state';
import type { EntityHeader } from '#shared/work-context';
import type { ControlPlane } from './control-plane';

/** A command that is about to run on an item. */
interface NextCommand {
  readonly command: CommandDefinition;
  readonly item: EntityHeader;
  readonly state: SessionState;
}

const setsFocus = (command: CommandRow, entityType: string): boolean =>
  command.setsActiveContext &&
  command.commandKind === 'executable' &&
  command.activeEntityType === entityType;

/** The command that brings back the focus, or the lack of one, that a state has. */
function focusBefore(
  plane: Pick<ControlPlane, 'view'>,
  state: SessionState,
  itemId: string,
): CommandCall | null {
  const { entityType = 'none', entityHeader } = state.context ?? {};
  const type = entityHeader ? entityType : 'none';
  const command = plane.view(state).commands.find((one) => setsFocus(one, type));
  const id = entityHeader?.id ?? itemId;
  return command ? { commandId: command.commandId, id } : null;
}

/**
 * The command that takes back what a command is about to change: mode, focus or run mode. Null for every
 * other command, and for one that changes nothing.
 */
export function inverseOf(
  { plane, runMode }: { readonly plane: Pick<ControlPlane, 'view' | 'modeOf'>; readonly runMode: RunMode },
  { command, item, state }: NextCommand,
): CommandCall | null {
  const { commandId, toolName, setsSessionMode, setsActiveContext, activeEntityType } = command;
  if (setsSessionMode) {
    const { key } = plane.modeOf(state);
    return key === item.id ? null : { commandId, id: key };
  }
  if (toolName === 'set_run_mode') return runMode === item.id ? null : { commandId, id: runMode };
  if (!setsActiveContext) return null;
  const { entityHeader } = state.context ?? {};
  if (activeEntityType === 'none') return entityHeader ? focusBefore(plane, state, item.id) : null;
  return entityHeader?.id === item.id ? null : focusBefore(plane, state, item.id);
}
