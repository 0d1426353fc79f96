import type { LocalModel, LocalModelsView } from '#shared/local-model';
import type { Result } from '#shared/result';
import type { CommandDeps } from './command-deps';

/** Commands about the models on this computer; main asks for every file. */
export interface LocalModelCommands {
  readonly localModels: () => Promise<Result<LocalModelsView>>;
  /** Copies a file that the user chooses; null when cancelled. */
  readonly importModel: () => Promise<Result<LocalModel | null>>;
  /** Downloads the offered model. */
  readonly downloadModel: () => Promise<Result<LocalModel>>;
  readonly stopModelDownload: () => Promise<Result<null>>;
  readonly removeLocalModel: (name: string) => Promise<Result<null>>;
}

export function createLocalModelCommands({ bridge }: CommandDeps): LocalModelCommands {
  return {
    localModels: () => bridge.invoke('local-models', undefined),
    importModel: () => bridge.invoke('local-model-import', undefined),
    downloadModel: () => bridge.invoke('local-model-download', undefined),
    stopModelDownload: () => bridge.invoke('local-model-stop', undefined),
    removeLocalModel: (name) => bridge.invoke('local-model-remove', { name }),
  };
}
