import { z } from 'zod';
import { JsonObject } from './json';

/** The description and schemas of a tool, as its server declares them. */
export const ToolText = z.object({
  description: z.string(),
  inputSchema: JsonObject,
  outputSchema: JsonObject.optional(),
  annotations: JsonObject.optional(),
  /** SHA-256 of everything a server declares about the tool. */
  hash: z.string(),
});
export type ToolText = z.infer<typeof ToolText>;

/** The pinned definition of a tool, and the newer one if its server changed it. */
export const ToolPin = z.object({
  /** `mcp://server.tool` */
  uri: z.string(),
  held: ToolText,
  seen: ToolText.optional(),
  /** The hash of the change that the user reviewed and left blocked; a different change needs a new review. */
  keptBlocked: z.string().optional(),
});
export type ToolPin = z.infer<typeof ToolPin>;

/** A definition change for the user to review and accept, by its hash. */
export interface ToolChange {
  readonly uri: string;
  readonly hash: string;
  /** The user reviewed it and left the tool blocked. */
  readonly keptBlocked?: boolean;
  readonly lines: readonly { readonly kind: 'same' | 'removed' | 'added'; readonly text: string }[];
}
