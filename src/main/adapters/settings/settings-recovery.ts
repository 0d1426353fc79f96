import { copyFileSync } from 'node:fs';
import { writeFileSync as writeAtomically } from 'atomically';
import type { Notice } from '#shared/notice';
import {
  corruptPath,
  readSettingsFile,
  quarantine,
  settingsFileMode,
  type RawSettings,
} from './settings-file';

/** Saves a copy of the last valid file beside it; a failure to copy is not an error. */
export function saveBackup(path: string, values: RawSettings): void {
  try {
    writeAtomically(`${path}.bak`, JSON.stringify(values, null, '\t'), { mode: settingsFileMode });
  } catch {
    // The settings themselves are saved; the next start tries to copy them again.
  }
}

function copyAside(path: string, now: number): string | null {
  const target = corruptPath(path, now);
  try {
    copyFileSync(path, target);
    return target;
  } catch {
    return null;
  }
}

const describeCopy = (quarantined: string | null): string =>
  quarantined === null ? 'It could not be moved aside.' : `It is kept as ${quarantined}.`;

function badFileNotice(reason: string, quarantined: string | null, restored: boolean): Notice {
  return {
    id: 'settings-file',
    level: 'warning',
    title: restored
      ? 'The settings were restored from their copy'
      : 'The settings were reset to their defaults',
    detail: `ui_settings.json could not be used: ${reason}. ${describeCopy(quarantined)}`,
    hint: restored ? 'Check that everything is set as you want it.' : 'Change any setting to save it again.',
  };
}

/** Saves a copy of a file with wrong fields and returns a notice that names them. */
export function wrongFieldsNotice(path: string, fields: readonly string[], now: number): Notice {
  const quarantined = copyAside(path, now);
  return {
    id: 'settings-fields',
    level: 'warning',
    title: 'Some settings could not be used',
    detail: `ui_settings.json: ${fields.join(', ')} had an invalid value and was reset to the default. ${describeCopy(quarantined)}`,
    hint: 'Set it again if you want another value.',
  };
}

/**
 * Quarantines an invalid file and restores its copy when that is valid, else returns no values; the notice
 * says which.
 */
export function restoreSettingsFile(
  path: string,
  reason: string,
  now: number,
): { values: RawSettings; notice: Notice } {
  const quarantined = quarantine(path, now);
  const backup = readSettingsFile(`${path}.bak`);
  if (backup.kind !== 'good') return { values: {}, notice: badFileNotice(reason, quarantined, false) };
  if (quarantined !== null) saveBackupAsFile(path, backup.text);
  return { values: backup.values, notice: badFileNotice(reason, quarantined, true) };
}

function saveBackupAsFile(path: string, text: string): void {
  try {
    writeAtomically(path, text, { mode: settingsFileMode });
  } catch {
    // Use the values from memory; the next change writes them.
  }
}
