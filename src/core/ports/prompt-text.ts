import type { SentImage } from '#shared/prompt-image';

/** An image of a block, with what is sent of it. */
export interface PromptImage extends SentImage {
  readonly content: Uint8Array;
}

/** One piece of the system message before its tokens are counted. */
export interface PromptText {
  readonly source: string;
  readonly text: string;
  readonly images?: readonly PromptImage[];
}
