import Conf from 'conf';
import { settingsFileMode } from './settings-file';
import type { SettingsConf } from './settings-store';

/** The settings engine on plain Node; the window uses electron-store on the same file. */
export const createNodeConf: SettingsConf = ({ cwd, configName }) =>
  new Conf({ cwd, configName, accessPropertiesByDotNotation: false, configFileMode: settingsFileMode });
