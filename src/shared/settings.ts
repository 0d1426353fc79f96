import { z } from 'zod';
import { defaultSettings } from './default-settings';
import { ModelRef } from './model';
import { RunMode } from './run-mode';

const pixels = z.number().int().min(100).max(10_000);

const fields = {
  mode: RunMode,
  theme: z.enum(['system', 'light', 'dark']),
  model: ModelRef.nullable(),
  project: z.string().nullable(),
  lastSessionId: z.string().nullable(),
  railWidth: pixels,
  inspectorWidth: pixels,
  inspectorOpen: z.boolean(),
  window: z
    .object({
      x: z.number().optional(),
      y: z.number().optional(),
      width: pixels,
      height: pixels,
      maximized: z.boolean(),
    })
    .nullable(),
  roles: z.array(z.string()),
  /** Whether Ask offers MCP server tools through function calling. */
  toolsInAsk: z.boolean(),
  /** Shortcuts by action or command id; null: no shortcut. Ids without a row in this start are kept. */
  shortcuts: z.record(z.string().max(200), z.string().max(100).nullable()),
};

/** `ui_settings.json`. Unknown keys are kept unchanged, because another version may use them. */
export const Settings = z.looseObject({
  mode: fields.mode.default(defaultSettings.mode),
  theme: fields.theme.default(defaultSettings.theme),
  model: fields.model.default(defaultSettings.model),
  project: fields.project.default(defaultSettings.project),
  lastSessionId: fields.lastSessionId.default(defaultSettings.lastSessionId),
  railWidth: fields.railWidth.default(defaultSettings.railWidth),
  inspectorWidth: fields.inspectorWidth.default(defaultSettings.inspectorWidth),
  inspectorOpen: fields.inspectorOpen.default(defaultSettings.inspectorOpen),
  window: fields.window.default(defaultSettings.window),
  roles: fields.roles.default(defaultSettings.roles),
  toolsInAsk: fields.toolsInAsk.default(defaultSettings.toolsInAsk),
  shortcuts: fields.shortcuts.default(defaultSettings.shortcuts),
});
export type Settings = z.infer<typeof Settings>;

/**
 * A partial change of settings. Uses the fields without defaults: a default would reset the
 * settings that a patch omits.
 */
export const SettingsPatch = z.strictObject(fields).partial();
export type SettingsPatch = z.infer<typeof SettingsPatch>;
