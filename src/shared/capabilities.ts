import { z } from 'zod';
import { DataFlow } from './data-flow';

/**
 * `mcp://server.tool`, with `*` for any remainder and optional argument constraints:
 * `mcp://jira.update?fields=status,title`. A server name alone is rejected, because it names no tool and
 * would deny nothing.
 */
export const ToolPattern = z
  .string()
  .regex(
    /^mcp:\/\/([a-z0-9_*-]+\.[^\s?]+|[a-z0-9_*-]*\*)(\?[^\s]+)?$/,
    'must look like mcp://server.tool or mcp://server.*',
  );
export type ToolPattern = z.infer<typeof ToolPattern>;

/**
 * `.patina/capabilities.json`: tools not in `allow` are denied, `deny` wins, `write` requires an approval;
 * rates are calls per minute.
 */
export const Capabilities = z.strictObject({
  allow: z.array(ToolPattern),
  deny: z.array(ToolPattern).default([]),
  write: z.array(ToolPattern).default([]),
  /** Flows between servers that need no question; `*` stands for any server. */
  dataFlows: z.array(DataFlow).default([]),
  rateLimits: z.record(ToolPattern, z.number().int().positive()).default({}),
});
export type Capabilities = z.infer<typeof Capabilities>;
