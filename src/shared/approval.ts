import { z } from 'zod';
import { Json } from './json';

/** The words of “No, instead …” at most, in characters. */
const maxMessageLength = 8_000;

/** A tool result that text in a call may come from, as far as tracking can tell. */
export const TaintSource = z.object({
  /** `mcp://server.tool` */
  source: z.string(),
  nodeId: z.string(),
  /** Whether the user trusts its server. */
  trusted: z.boolean(),
});
export type TaintSource = z.infer<typeof TaintSource>;

/** The name of an id among the arguments of a call, as a read of the same run gave it. */
export const KnownName = z.object({
  /** The id as text. */
  value: z.string(),
  name: z.string(),
  /** The tool that returned the name. */
  source: z.string(),
});
export type KnownName = z.infer<typeof KnownName>;

/** The tools whose results an argument of a call repeats, whole or in part. */
export const ArgumentSources = z.object({ argument: z.string(), tools: z.array(z.string()) });
export type ArgumentSources = z.infer<typeof ArgumentSources>;

/** One answer to one open approval; `hash` names the exact call that was shown. */
export const ApprovalDecision = z.object({
  approvalId: z.string(),
  hash: z.string(),
  approved: z.boolean(),
  /** What the user wants instead of a refused call; the model receives these words. */
  said: z.string().trim().min(1).max(maxMessageLength).optional(),
});
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;

/**
 * The user's edit of a pending call: it invalidates the old hash, and the new arguments are checked like
 * those of any call.
 */
export const ApprovalEdit = z.object({ approvalId: z.string(), hash: z.string(), arguments: Json });
export type ApprovalEdit = z.infer<typeof ApprovalEdit>;
