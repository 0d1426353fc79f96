import type { JsonObject } from './json';

/** One piece of the system message, with where it came from and what it costs in tokens. */
export interface PromptBlock {
  readonly source: string;
  readonly text: string;
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
  readonly tools: readonly PromptTool[];
  readonly total: number;
}
