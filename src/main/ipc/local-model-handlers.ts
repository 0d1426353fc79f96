import type { IpcHandlers } from '#shared/ipc';
import { ok } from '#shared/result';
import type { App } from '../app';
import type { Desktop } from './app-handlers';

/** The window's requests about models on this computer. */
export function createLocalModelHandlers(
  { localModels }: Pick<App, 'localModels'>,
  { chooseModelFile }: Pick<Desktop, 'chooseModelFile'>,
) {
  return {
    'local-models': () => ok(localModels.view()),
    'local-model-import': async () => {
      const file = await chooseModelFile();
      return file === null ? ok(null) : localModels.add(file);
    },
    'local-model-download': () => localModels.download(),
    'local-model-stop': () => ok(localModels.stopDownload()),
    'local-model-remove': ({ name }) => localModels.remove(name),
  } satisfies Partial<IpcHandlers>;
}
