import { z } from 'zod';
import { Json } from './json';

/** Where text in a call may come from: a tool's result, as far as one can tell without reading minds. */
export const TaintSource = z.object({
  /** `mcp://server.tool` */
  source: z.string(),
  nodeId: z.string(),
  /** Whether its server is one the user trusts. */
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

/** The user's change to a call that waits: the old hash is void, the new arguments are checked like any call's. */
export const ApprovalEdit = z.object({ approvalId: z.string(), hash: z.string(), arguments: Json });
export type ApprovalEdit = z.infer<typeof ApprovalEdit>;
