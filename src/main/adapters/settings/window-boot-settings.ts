import { join } from 'node:path';
import { settingRows } from '#shared/setting-rows';
import type { Settings } from '#shared/settings';
import { readSettingsFile, type RawSettings } from './settings-file';

/** The settings that decide how the window opens. */
export type WindowBootSettings = Pick<Settings, 'theme' | 'window' | 'zoom'>;

const { choices, default: defaultTheme } = settingRows.theme;
const themes: readonly unknown[] = choices;

function isPixels(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 10_000;
}

const zooms = settingRows.zoom;

const isZoom = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= zooms.min && value <= zooms.max;

const orNothing = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

function windowBounds(stored: unknown): WindowBootSettings['window'] {
  if (typeof stored !== 'object' || stored === null) return null;
  const { x, y, width, height, maximized } = stored as RawSettings;
  if (!isPixels(width) || !isPixels(height)) return null;
  return { x: orNothing(x), y: orNothing(y), width, height, maximized: maximized === true };
}

/**
 * Reads the window's appearance directly from `ui_settings.json`, so that the window can open while
 * everything else still loads. Uses the default for anything invalid; the settings store reports the problem
 * later.
 */
export function readWindowBootSettings(home: string): WindowBootSettings {
  const file = readSettingsFile(join(home, 'ui_settings.json'));
  const { theme, window, zoom } = file.kind === 'good' ? file.values : {};
  return {
    theme: themes.includes(theme) ? (theme as WindowBootSettings['theme']) : defaultTheme,
    window: windowBounds(window),
    zoom: isZoom(zoom) ? zoom : zooms.default,
  };
}
