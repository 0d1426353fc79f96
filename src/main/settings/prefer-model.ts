import type { ModelRef } from '#shared/model';
import { ok } from '#shared/result';
import type { Settings } from '#shared/settings';
import type { SettingsStore } from '../../core/ports/settings-store';

/**
 * The settings with `model` in place of the stored one, which stays in the file. Once the user chooses a model,
 * that one counts until the process ends.
 */
export function preferModel(store: SettingsStore, model: ModelRef | null): SettingsStore {
  let preferred = model;
  const shown = (settings: Settings): Settings =>
    preferred === null ? settings : { ...settings, model: preferred };
  return {
    ...store,
    get: () => shown(store.get()),
    patch(patch) {
      const before = preferred;
      if (patch.model !== undefined) preferred = null;
      const written = store.patch(patch);
      if (!written.ok) preferred = before;
      return written.ok ? ok(shown(written.value)) : written;
    },
    onChange: (listener) => store.onChange((settings) => listener(shown(settings))),
  };
}
