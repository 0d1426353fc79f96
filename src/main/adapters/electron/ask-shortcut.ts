import { globalShortcut } from 'electron';
import type { Settings } from '#shared/settings';

const accelerators = {
  altSpace: 'Alt+Space',
  modShiftSpace: 'CommandOrControl+Shift+Space',
  modAltA: 'CommandOrControl+Alt+A',
} as const satisfies Readonly<Record<Exclude<Settings['askShortcut'], 'off'>, string>>;

/** Makes the keys work in every app; false when the system or another app has them. */
export function registerAskShortcut(keys: Settings['askShortcut'], onPressed: () => void): boolean {
  globalShortcut.unregisterAll();
  return keys === 'off' || globalShortcut.register(accelerators[keys], onPressed);
}
