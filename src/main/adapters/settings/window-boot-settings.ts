import { join } from 'node:path';
import { settingRows } from '#shared/setting-rows';
import type { Settings } from '#shared/settings';
import { readSettingsFile, type RawSettings } from './settings-file';

/** The settings that decide how the window opens. */
export type WindowBootSettings = Pick<Settings, 'theme' | 'window' | 'zoom' | 'language' | 'menuBar'>;

/** The value, if it is a choice of the setting, else the default. */
function choiceOf<Name extends 'theme' | 'language' | 'menuBar'>(name: Name, value: unknown): Settings[Name] {
  const { choices, default: unset } = settingRows[name];
  return ((choices as readonly unknown[]).includes(value) ? value : unset) as Settings[Name];
}

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
  const { theme, window, zoom, language, menuBar } = file.kind === 'good' ? file.values : {};
  return {
    theme: choiceOf('theme', theme),
    language: choiceOf('language', language),
    menuBar: choiceOf('menuBar', menuBar),
    window: windowBounds(window),
    zoom: isZoom(zoom) ? zoom : zooms.default,
  };
}
