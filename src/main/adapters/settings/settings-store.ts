import { join } from 'node:path';
import { appError } from '#shared/app-error';
import type { Notice } from '#shared/notice';
import { err, ok, type Result } from '#shared/result';
import { Settings, type SettingsPatch } from '#shared/settings';
import type { SettingsStore } from '../../../core/ports/settings-store';
import type { CreateConf } from './conf';
import { readSettingsFile, removeAbandonedWrites, type RawSettings } from './settings-file';
import { saveBackup, restoreSettingsFile, wrongFieldsNotice } from './settings-recovery';

interface CheckedSettings {
  readonly settings: Settings;
  /** Names of the known fields with an invalid value; `settings` has their defaults. */
  readonly wrongFields: readonly string[];
}

const dangerousKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** Validates each field separately, so that one wrong value costs one setting; keeps unknown keys. */
function checkFields(raw: RawSettings): CheckedSettings {
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

export interface SettingsStoreDeps {
  /** `PATINA_HOME`; absolute. */
  readonly home: string;
  readonly createConf: CreateConf;
  readonly now: () => number;
}

const configName = 'ui_settings';

interface Contents {
  readonly values: RawSettings;
  readonly notices: readonly Notice[];
}

/** Reads the settings file; first quarantines an invalid one and restores its copy. */
function readContents(path: string, now: number): Contents {
  const file = readSettingsFile(path);
  if (file.kind === 'missing') return { values: {}, notices: [] };
  if (file.kind === 'good') return { values: file.values, notices: [] };
  const restored = restoreSettingsFile(path, file.reason, now);
  return { values: restored.values, notices: [restored.notice] };
}

function notSaved(home: string, error: unknown): Result<Settings> {
  const text = error instanceof Error ? error.message : String(error);
  return err(
    appError('HOST', 'STORAGE', `The settings could not be saved: ${text.slice(0, 200)}`, {
      hint: `Check that ${home} can be written and has room.`,
      retryable: true,
    }),
  );
}

/** Opens `ui_settings.json` and quarantines an invalid one. Never throws; `patch` fails with HOST/STORAGE. */
export function createSettingsStore({ home, createConf, now }: SettingsStoreDeps): SettingsStore {
  const path = join(home, `${configName}.json`);
  const listeners = new Set<(settings: Settings) => void>();
  const notices: Notice[] = [];

  const start = (): Settings => {
    removeAbandonedWrites(path, now());
    const contents = readContents(path, now());
    const { settings, wrongFields } = checkFields(contents.values);
    notices.push(...contents.notices);
    if (wrongFields.length > 0) notices.push(wrongFieldsNotice(path, wrongFields, now()));
    try {
      const conf = createConf({ cwd: home, configName });
      for (const field of wrongFields) conf.delete(field);
      // The file names the current mode (agent-mode, UI Changes) from the first start on.
      if (conf.store['mode'] === undefined) conf.set({ mode: settings.mode });
      if (Object.keys(conf.store).length > 0) saveBackup(path, conf.store);
    } catch {
      // The file cannot be written now: use the values that were read. A change reports why it was not saved.
    }
    return settings;
  };

  const write = (patch: SettingsPatch): Result<Settings> => {
    try {
      // Another program may have edited the file: validate it again before the engine reads it, because the
      // engine would throw.
      notices.push(...readContents(path, now()).notices);
      const conf = createConf({ cwd: home, configName });
      conf.set(Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)));
      saveBackup(path, conf.store);
      return ok(checkFields(conf.store).settings);
    } catch (error) {
      return notSaved(home, error);
    }
  };

  let settings = start();
  return {
    get: () => settings,
    patch(patch) {
      const written = write(patch);
      if (!written.ok) return written;
      settings = written.value;
      for (const listener of listeners) listener(settings);
      return written;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    notices,
  };
}
