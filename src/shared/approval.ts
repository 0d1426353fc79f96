import { z } from 'zod';
import { Json } from './json';

/** A tool result that text in a call may come from, as far as tracking can tell. */
export const TaintSource = z.object({
  /** `mcp://server.tool` */
  source: z.string(),
  nodeId: z.string(),
  /** Whether the user trusts its server. */
  trusted: z.boolean(),
});
export type TaintSource = z.infer<typeof TaintSource>;

/** One answer to one open approval; `hash` names the exact call that was shown. */
export const ApprovalDecision = z.object({
  approvalId: z.string(),
  hash: z.string(),
  approved: z.boolean(),
});
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;

/**
 * The user's edit of a pending call: it invalidates the old hash, and the new arguments are checked like
 * those of any call.
 */
export const ApprovalEdit = z.object({ approvalId: z.string(), hash: z.string(), arguments: Json });
export type ApprovalEdit = z.infer<typeof ApprovalEdit>;
