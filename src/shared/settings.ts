import { z } from 'zod';
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
};

/** `ui_settings.json`. Keys Patina does not know are kept as they are: another version may own them. */
export const Settings = z.looseObject({
  mode: fields.mode.default('ask'),
  theme: fields.theme.default('system'),
  model: fields.model.default(null),
  project: fields.project.default(null),
  lastSessionId: fields.lastSessionId.default(null),
  railWidth: fields.railWidth.default(248),
  inspectorWidth: fields.inspectorWidth.default(420),
  inspectorOpen: fields.inspectorOpen.default(false),
  window: fields.window.default(null),
  roles: fields.roles.default([]),
});
export type Settings = z.infer<typeof Settings>;

/** A change of some settings. Built from the bare fields: a default here would reset what the patch leaves out. */
export const SettingsPatch = z.strictObject(fields).partial();
export type SettingsPatch = z.infer<typeof SettingsPatch>;
