import { z } from 'zod';
import { ModelRef } from './model';
import { ModelOptions } from './model-parameters';
import { assertNever } from './result';
import { RunMode } from './run-mode';
import {
  defaultSettings,
  maxInstructions,
  settingRows,
  type SettingName,
  type SettingRow,
  type SettingValue,
} from './setting-rows';
import { SnapshotHash } from './workspace';

/** The schema of a row, without its default. */
export function settingSchema(row: SettingRow): z.ZodType {
  switch (row.kind) {
    case 'switch':
      return z.boolean();
    case 'choice':
      return z.enum(row.choices);
    case 'number':
      return z
        .number()
        .multipleOf(row.step ?? 1)
        .min(row.min)
        .max(row.max);
    case 'text':
      return z.string().max(row.maxLength);
    default:
      return assertNever(row);
  }
}

type RowSchemas = { [Name in SettingName]: z.ZodType<SettingValue<(typeof settingRows)[Name]>> };

const pixels = settingSchema(settingRows.railWidth) as z.ZodType<number>;

/** A path that the system could open; one with a NUL never can. */
const path = z
  .string()
  .max(4_096)
  .refine((text) => !text.includes('\0'), 'a path cannot contain a NUL');

/** Settings of several values, and those that only Patina writes; every other one is a row. */
const structuredFields = {
  mode: RunMode,
  model: ModelRef.nullable(),
  project: z.string().nullable(),
  lastSessionId: z.string().nullable(),
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
  /** What the user set for single models, by `modelKey`. */
  modelOptions: z.record(z.string().max(500), ModelOptions),
  /** By `modelKey`: the models that the user marked, and those chosen last, newest first. */
  favouriteModels: z.array(z.string().max(500)).max(1_000),
  recentModels: z.array(z.string().max(500)).max(100),
  /** The sources that the user has used of those that lists leave out until then. */
  usedSources: z.array(z.string().max(200)).max(1_000),
  /** The sessions with a window of their own, which open again at the next start. */
  ownWindows: z.array(z.string().max(64)).max(50),
  /** The user's instructions for every session. */
  instructions: z.string().max(maxInstructions),
  /** The user's instructions for the sessions of a project, by folder. */
  projectInstructions: z.record(z.string().max(4_096), z.string().max(maxInstructions)),
  /**
   * The adopted instructions that a project brings along, by folder; null: refused. A folder without an entry
   * was not decided about.
   */
  instructionFiles: z.record(z.string().max(4_096), SnapshotHash.nullable()),
  /** Shortcuts by action or command id; null: no shortcut. Ids without a row in this start are kept. */
  shortcuts: z.record(z.string().max(200), z.string().max(100).nullable()),
};

const fields = {
  ...(Object.fromEntries(
    Object.entries(settingRows).map(([name, row]) => [name, settingSchema(row)]),
  ) as RowSchemas),
  ...structuredFields,
};
type Fields = typeof fields;

/** `ui_settings.json`. Unknown keys are kept unchanged, because another version may use them. */
export const Settings = z.looseObject(
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [
      name,
      (schema as z.ZodType).default(defaultSettings[name as keyof Fields]),
    ]),
  ) as { [Name in keyof Fields]: z.ZodDefault<Fields[Name]> },
);
export type Settings = z.infer<typeof Settings>;

/**
 * A partial change of settings. Uses the fields without defaults: a default would reset the
 * settings that a patch omits.
 */
export const SettingsPatch = z.strictObject({ ...fields, project: path.nullable() }).partial();
export type SettingsPatch = z.infer<typeof SettingsPatch>;
