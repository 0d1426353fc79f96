import {
  settingRows,
  settingsSections,
  type SettingName,
  type SettingRow,
  type SettingsSection,
} from '#shared/setting-rows';
import { findText, text } from '../locales/text';
import { mac } from '../ui/key-press';

type Rows = typeof settingRows;

/** Settings with a place in the window; the compiler finds a text that is missing for one of them. */
export type ShownSetting = {
  [Name in SettingName]: Rows[Name] extends { readonly section: SettingsSection } ? Name : never;
}[SettingName];

const rows: Readonly<Record<string, SettingRow>> = settingRows;

/** The settings that a section shows on this system, in their order. */
export const settingsOf = (section: SettingsSection): readonly ShownSetting[] =>
  Object.keys(rows).filter(
    (name) => rows[name]?.section === section && !(mac && rows[name].notOnMac),
  ) as ShownSetting[];

/** A place of the settings window: a section, or one setting in it. */
export interface SettingPlace {
  readonly section: SettingsSection;
  readonly setting?: ShownSetting;
  readonly label: string;
  /** What it is found by: its name, its section and its choices. */
  readonly words: string;
}

function placeOf(section: SettingsSection, setting: ShownSetting): SettingPlace {
  const row: SettingRow = settingRows[setting];
  const choices = row.kind === 'choice' ? row.choices : [];
  const label = text(`settings.rows.${setting}.label`);
  const named = choices.map((choice) => findText(`settings.rows.${setting}.${choice}`) ?? '');
  return {
    section,
    setting,
    label,
    words: [label, text(`settings.sections.${section}`), ...named].join(' '),
  };
}

/** Every section and every setting. */
export const settingPlaces = (): readonly SettingPlace[] =>
  settingsSections.flatMap((section) => {
    const label = text(`settings.sections.${section}`);
    const words = `${text('settings.title')} ${label}`;
    return [{ section, label, words }, ...settingsOf(section).map((name) => placeOf(section, name))];
  });
