import { z } from 'zod';
import type { AppError } from './app-error';

/**
 * The provider of the models that run on this computer, in a process of Patina's own. Not `local`: users call their
 * own servers so.
 */
export const localProviderId = 'this-computer';

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

/** `seeds/local-model.json` and `PATINA_HOME/local-model.json`: the one model that Patina offers to download. */
export const OfferedModel = z.strictObject({
  name: LocalModelName,
  title: z.string().min(1).max(100),
  /** The SPDX id of the licence. */
  licence: z.string().min(1).max(100),
  /** Where people read about the model. */
  page: z.url({ protocol: /^https$/ }),
  /** Where its GGUF file is. */
  address: z.url({ protocol: /^https?$/ }),
  bytes: z.number().int().positive(),
  /** Of the file, in hexadecimal digits. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type OfferedModel = z.infer<typeof OfferedModel>;

/** The model that Patina offers, and how far its download is. */
export interface ModelOffer extends Pick<OfferedModel, 'name' | 'title' | 'licence' | 'page' | 'bytes'> {
  /** The host that the file comes from. */
  readonly from: string;
  /** In bytes; null where the system does not say. */
  readonly freeDisk: number | null;
  /** In bytes. */
  readonly freeMemory: number;
  /** Bytes on this computer, also of an earlier attempt. */
  readonly received: number;
  readonly running: boolean;
  /** Why the last attempt ended. */
  readonly error?: AppError;
}

/** The models on this computer, as settings show them. */
export interface LocalModelsView {
  readonly models: readonly LocalModel[];
  /** Null once that model is on this computer. */
  readonly offer: ModelOffer | null;
}
