import { z } from 'zod';
import { call } from './ipc-call';
import { LocalModelName, type LocalModel, type LocalModelsView } from './local-model';

/** Calls about the models on this computer; main asks for every file, so the window names none. */
export const localModelCalls = {
  'local-models': call<LocalModelsView>()(z.undefined()),
  /** Asks for a GGUF file and copies it; null when the user cancels. HOST/INVALID_INPUT, HOST/STORAGE. */
  'local-model-import': call<LocalModel | null>()(z.undefined()),
  /** Deletes the file of a model. HOST/NOT_FOUND, HOST/STORAGE. */
  'local-model-remove': call<null>()(z.object({ name: LocalModelName })),
  /** Downloads the offered model; ends when it is on this computer. LLM/UNAVAILABLE, LLM/INVALID_REPLY, HOST/STORAGE, HOST/CANCELLED. */
  'local-model-download': call<LocalModel>()(z.undefined()),
  /** Stops the download; what has arrived stays for the next one. */
  'local-model-stop': call<null>()(z.undefined()),
} as const;
