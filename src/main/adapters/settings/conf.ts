import Conf from 'conf';
import { settingsFileMode } from './settings-file';

/** What the store needs of `conf` or `electron-store`; reading and writing throw what the file system throws. */
export interface ConfLike {
  readonly store: Record<string, unknown>;
  set(values: Record<string, unknown>): void;
  delete(key: string): void;
}

/** Opens `<cwd>/<configName>.json`. Called only for a file that parses, or is not there. */
export type CreateConf = (options: { readonly cwd: string; readonly configName: string }) => ConfLike;

/** The settings engine on plain Node; the window uses electron-store on the same file. */
export const createNodeConf: CreateConf = ({ cwd, configName }) =>
  new Conf({ cwd, configName, accessPropertiesByDotNotation: false, configFileMode: settingsFileMode });
