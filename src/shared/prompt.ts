import type { JsonObject } from './json';
import type { SentImage } from './prompt-image';

/** One block of the system message, with its source and token count. */
export interface PromptBlock {
  readonly source: string;
  readonly text: string;
  readonly tokens: number;
}

/** An image of the static context; its tokens are an estimate. */
export interface PromptPicture extends SentImage {
  readonly tokens: number;
}

export interface PromptTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema, as sent. */
  readonly parameters: JsonObject;
  readonly tokens: number;
}

/** `patina prompt`: everything that would be sent to the model before the conversation. */
export interface PromptPreview {
  readonly blocks: readonly PromptBlock[];
  /** Images sent with the static context, before the first line. */
  readonly images?: readonly PromptPicture[];
  readonly tools: readonly PromptTool[];
  readonly total: number;
  /** The workspace content that it uses. */
  readonly content?: {
    readonly snapshot: string;
    readonly promptPack: string | null;
    readonly toolCatalog: string;
  };
  /** Every known tool, offered or not. */
  readonly verdicts?: readonly ToolVerdict[];
}

/** Why a tool is or is not offered to the model: names the first gate layer that excludes it. */
export interface ToolVerdict {
  readonly name: string;
  readonly offered: boolean;
  readonly layer?: 'mode' | 'workflow' | 'descriptor' | 'binding' | 'capability' | 'model';
  readonly reason: string;
}
