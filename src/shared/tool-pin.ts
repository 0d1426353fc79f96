import { z } from 'zod';
import { JsonObject } from './json';

/** What a server says of one of its tools, as far as a person or a model goes by it. */
export const ToolText = z.object({
  description: z.string(),
  inputSchema: JsonObject,
  outputSchema: JsonObject.optional(),
  annotations: JsonObject.optional(),
  /** SHA-256 of all a server declares of the tool. */
  hash: z.string(),
});
export type ToolText = z.infer<typeof ToolText>;

/** The definition a tool is held to, and the other one its server gave since, if it did. */
export const ToolPin = z.object({
  /** `mcp://server.tool` */
  uri: z.string(),
  held: ToolText,
  seen: ToolText.optional(),
  /** The hash of the change the user looked at and left blocked; another one is asked about anew. */
  keptBlocked: z.string().optional(),
});
export type ToolPin = z.infer<typeof ToolPin>;

/** A change to look at and, by its hash, to accept. */
export interface ToolChange {
  readonly uri: string;
  readonly hash: string;
  /** The user looked at it and left the tool blocked. */
  readonly keptBlocked?: boolean;
  readonly lines: readonly { readonly kind: 'same' | 'removed' | 'added'; readonly text: string }[];
}
