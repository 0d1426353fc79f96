import type { JsonObject } from './json';
import type { SentImage } from './prompt-image';

/** One piece of the system message, with where it came from and what it costs in tokens. */
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
  /** JSON Schema, as it is sent. */
  readonly parameters: JsonObject;
  readonly tokens: number;
}

/** `patina prompt`: what the model would be sent before the conversation. */
export interface PromptPreview {
  readonly blocks: readonly PromptBlock[];
  /** What goes with the static context, before the first line. */
  readonly images?: readonly PromptPicture[];
  readonly tools: readonly PromptTool[];
  readonly total: number;
  /** The workspace content it is made from. */
  readonly content?: {
    readonly snapshot: string;
    readonly promptPack: string | null;
    readonly toolCatalog: string;
  };
  /** Every tool that is known here, offered or not. */
  readonly verdicts?: readonly ToolVerdict[];
}

/** Why a tool is or is not offered to the model: the first layer of the gate that leaves it out. */
export interface ToolVerdict {
  readonly name: string;
  readonly offered: boolean;
  readonly layer?: 'mode' | 'workflow' | 'descriptor' | 'binding' | 'capability';
  readonly reason: string;
}
