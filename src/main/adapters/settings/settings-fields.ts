import { Settings } from '#shared/settings';
import type { RawSettings } from './settings-file';

export interface CheckedSettings {
  readonly settings: Settings;
  /** Names of the known fields with an invalid value; `settings` has their defaults. */
  readonly wrongFields: readonly string[];
}

const dangerousKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** Validates each field separately, so that one wrong value costs one setting; keeps unknown keys. */
export function checkFields(raw: RawSettings): CheckedSettings {
  const entries = Object.entries(raw).filter(([key]) => !dangerousKeys.has(key));
  const wrongFields = entries
    .filter(([key, value]) => {
      const field = Settings.shape[key as keyof typeof Settings.shape] as
        (typeof Settings.shape)[keyof typeof Settings.shape] | undefined;
      return field !== undefined && !field.safeParse(value).success;
    })
    .map(([key]) => key);
  const usable = Object.fromEntries(entries.filter(([key]) => !wrongFields.includes(key)));
  return { settings: Settings.parse(usable), wrongFields };
}
