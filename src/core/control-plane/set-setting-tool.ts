import { appError } from '#shared/app-error';
import { settingRows } from '#shared/setting-rows';
import { err, ok, type Result } from '#shared/result';
import type { Settings } from '#shared/settings';
import type { BuiltInTool } from '../ports/built-in-tool';
import type { SettingsStore } from '../ports/settings-store';

/** The settings that a command may change. */
const changeable = ['theme', 'toolsInAsk', 'review', 'inspectorOpen'] as const;
export type ChangeableSetting = (typeof changeable)[number];

export const setSettingTool = 'set_setting';

const isChangeable = (name: unknown): name is ChangeableSetting =>
  (changeable as readonly unknown[]).includes(name);

/** The item that stands for the current value of a setting; undefined for other settings. */
export function settingItem(settings: Settings, name: unknown): string | undefined {
  if (!isChangeable(name)) return undefined;
  const value = settings[name];
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : value;
}

/** The change of settings that an item stands for; undefined when the setting has no such value. */
function patchFor(name: ChangeableSetting, value: string): Partial<Settings> | undefined {
  const row = settingRows[name];
  if (row.kind === 'switch') return { on: { [name]: true }, off: { [name]: false } }[value];
  return row.choices.some((choice) => choice === value) ? { [name]: value } : undefined;
}

/** `set_setting`: changes a simple setting by a command whose row names the setting. */
export function createSetSettingTool({ settings }: { readonly settings: SettingsStore }): BuiltInTool {
  const set = (setting: string, value: string): Result<string> => {
    const patch = isChangeable(setting) ? patchFor(setting, value) : undefined;
    if (!patch) return err(appError('HOST', 'INVALID_INPUT', `“${setting}” cannot be set to “${value}”.`));
    const saved = settings.patch(patch);
    return saved.ok ? ok(JSON.stringify({ success: true })) : saved;
  };
  return {
    name: setSettingTool,
    isToolFullyExecutedOnServer: true,
    commandOnly: true,
    toolUsageMetadata: 'Changes a setting of the app.',
    schema: {
      type: 'object',
      properties: { setting: { type: 'string' }, value: { type: 'string' } },
      required: ['setting', 'value'],
      additionalProperties: false,
    },
    execute: (argumentsJson) => {
      const { setting, value } = JSON.parse(argumentsJson) as Readonly<Record<'setting' | 'value', string>>;
      return Promise.resolve(set(setting, value));
    },
  };
}
