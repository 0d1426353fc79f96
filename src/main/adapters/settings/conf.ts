import Conf from 'conf';
import { settingsFileMode } from './settings-file';

/** The part of `conf` or `electron-store` that the store uses; reads and writes throw file system errors. */
export interface ConfLike {
  readonly store: Record<string, unknown>;
  set(values: Record<string, unknown>): void;
  delete(key: string): void;
}

/** Opens `<cwd>/<configName>.json`. Called only for a file that parses or does not exist. */
export type CreateConf = (options: { readonly cwd: string; readonly configName: string }) => ConfLike;

/** The settings engine on plain Node; the window uses electron-store on the same file. */
export const createNodeConf: CreateConf = ({ cwd, configName }) =>
  new Conf({ cwd, configName, accessPropertiesByDotNotation: false, configFileMode: settingsFileMode });
