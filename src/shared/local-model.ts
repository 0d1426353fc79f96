import { z } from 'zod';

/** The provider of the models that run on this computer, in a process of Patina's own. */
export const localProviderId = 'local';

/** The file of a local model, without its extension, as the picker shows it. */
export const LocalModelName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,119}$/);

/** A model whose file is on this computer. */
export interface LocalModel {
  readonly name: string;
  readonly bytes: number;
  /** The size of its context as Patina loads it, in tokens. */
  readonly contextTokens: number;
}

/** The memory that a model needs while it runs, as a multiple of its file. */
export const memoryShare = 2.3;

/** The models on this computer, as settings show them. */
export interface LocalModelsView {
  readonly models: readonly LocalModel[];
}
