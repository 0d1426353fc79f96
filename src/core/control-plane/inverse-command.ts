import { windowActionOf, type CommandDefinition } from '#shared/command';
import type { CommandRow } from '#shared/control-plane';
import { modelKey } from '#shared/model-parameters';
import type { CommandCall } from '#shared/resolver';
import type { Settings } from '#shared/settings';
import type { SessionState } from '#shared/session-state';
import { thisItemId } from '#shared/window-action';
import type { EntityHeader } from '#shared/work-context';
import type { ControlPlane } from './control-plane';
import { setModelTool } from './set-model-tool';
import { setSettingTool, settingItem } from './set-setting-tool';

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

/** The item that stands for what a command is about to replace: a setting, the model or the title. */
function valueBefore({ command, item, state }: NextCommand, settings: Settings): string | undefined {
  const { toolName, constants } = command;
  if (toolName === 'set_run_mode') return settings.mode;
  if (toolName === setSettingTool) return settingItem(settings, constants['setting']);
  if (toolName === setModelTool) return settings.model ? modelKey(settings.model) : undefined;
  const renames = windowActionOf(command) === 'rename-session' && item.id !== thisItemId;
  return renames && state.title !== '' ? state.title : undefined;
}

/**
 * The command that takes back what a command is about to change: mode, focus, run mode, a setting,
 * the model or the title. Null for every
 * other command, and for one that changes nothing.
 */
export function inverseOf(
  { plane, settings }: { readonly plane: Pick<ControlPlane, 'view' | 'modeOf'>; readonly settings: Settings },
  next: NextCommand,
): CommandCall | null {
  const { command, item, state } = next;
  const { commandId, setsSessionMode, setsActiveContext, activeEntityType } = command;
  if (setsSessionMode) {
    const { key } = plane.modeOf(state);
    return key === item.id ? null : { commandId, id: key };
  }
  const before = valueBefore(next, settings);
  if (before !== undefined) return before === item.id ? null : { commandId, id: before };
  if (!setsActiveContext) return null;
  const { entityHeader } = state.context ?? {};
  if (activeEntityType === 'none') return entityHeader ? focusBefore(plane, state, item.id) : null;
  return entityHeader?.id === item.id ? null : focusBefore(plane, state, item.id);
}
