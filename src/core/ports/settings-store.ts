import type { Notice } from '#shared/notice';
import type { Result } from '#shared/result';
import type { Settings, SettingsPatch } from '#shared/settings';

/** `ui_settings.json`; unknown keys kept, a bad file set aside and named before the store opens it. */
export interface SettingsStore {
  get(): Settings;
  /** Written atomically before it returns. */
  patch(patch: SettingsPatch): Result<Settings>;
  onChange(listener: (settings: Settings) => void): () => void;
  /** What happened to the file at start-up, if anything. */
  readonly notices: readonly Notice[];
}
