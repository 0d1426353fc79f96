import ElectronStore from 'electron-store';
import type { CreateConf } from '../settings/conf';
import { settingsFileMode } from '../settings/settings-file';

/** The settings engine of the window: electron-store on the file the command line reads with conf. */
export const createElectronConf: CreateConf = ({ cwd, configName }) =>
  new ElectronStore({
    cwd,
    name: configName,
    accessPropertiesByDotNotation: false,
    configFileMode: settingsFileMode,
  });
