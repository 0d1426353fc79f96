import { z } from 'zod';

/**
 * `mcp://server.tool`, with `*` for any rest and optional argument constraints: `mcp://jira.update?fields=status,title`.
 * A server's name alone names no tool: a line that says so would deny nothing.
 */
export const ToolPattern = z
  .string()
  .regex(
    /^mcp:\/\/([a-z0-9_*-]+\.[^\s?]+|[a-z0-9_*-]*\*)(\?[^\s]+)?$/,
    'must look like mcp://server.tool or mcp://server.*',
  );
export type ToolPattern = z.infer<typeof ToolPattern>;

/** `.patina/capabilities.json`: not in `allow` is denied, `deny` wins, `write` forces an approval; rates are calls a minute. */
export const Capabilities = z.strictObject({
  allow: z.array(ToolPattern),
  deny: z.array(ToolPattern).default([]),
  write: z.array(ToolPattern).default([]),
  rateLimits: z.record(ToolPattern, z.number().int().positive()).default({}),
});
export type Capabilities = z.infer<typeof Capabilities>;
