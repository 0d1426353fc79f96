import type { SentImage } from '#shared/prompt-image';

/** An image of a block, with the bytes to send. */
export interface PromptImage extends SentImage {
  readonly content: Uint8Array;
}

/** One block of the system message before its tokens are counted. */
export interface PromptText {
  readonly source: string;
  readonly text: string;
  readonly images?: readonly PromptImage[];
}
