import type { Notice } from '#shared/notice';
import type { Result } from '#shared/result';
import type { Settings, SettingsPatch } from '#shared/settings';

/**
 * `ui_settings.json`. Keeps unknown keys; an invalid file is set aside and reported
 * before the store opens it.
 */
export interface SettingsStore {
  get(): Settings;
  /** Written atomically before it returns. */
  patch(patch: SettingsPatch): Result<Settings>;
  onChange(listener: (settings: Settings) => void): () => void;
  /** Notices about the file at startup, if any. */
  readonly notices: readonly Notice[];
}
