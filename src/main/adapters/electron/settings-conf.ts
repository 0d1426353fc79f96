import ElectronStore from 'electron-store';
import { settingsFileMode } from '../settings/settings-file';
import type { SettingsConf } from '../settings/settings-store';

/** The settings engine of the window: electron-store on the file the command line reads with conf. */
export const createElectronConf: SettingsConf = ({ cwd, configName }) =>
  new ElectronStore({
    cwd,
    name: configName,
    accessPropertiesByDotNotation: false,
    configFileMode: settingsFileMode,
  });
