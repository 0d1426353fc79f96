import { z } from 'zod';

const words = z.array(z.string()).default([]);

/**
 * A mode as declared (AGN-014 §3). Checks only the shape: the rules (AGN-014 §7) are checked over the
 * whole catalog at startup, so that every violation is reported at once.
 */
export const AgentMode = z.strictObject({
  id: z.string(),
  key: z.string(),
  displayName: z.string(),
  description: z.string().nullish(),
  whenToUse: z.string(),
  isDefault: z.boolean(),
  status: z.string().optional(),
  version: z.string(),
  modeInstructions: words,
  behaviorHints: words,
  humanRoleHints: words,
  exampleUtterances: words,
  associatedToolIds: words,
  toolGroupHints: words,
  ragScopeHints: words,
  strongSignals: words,
  weakSignals: words,
  /** AGN-000037 §5, ModeDefinition. */
  toolboxIds: words,
  /** Other names that the user may use for the mode. */
  aliases: words,
  /** The DDR that introduced the mode; required of a pack's mode. */
  ddr: z.string().optional(),
});
export type AgentMode = z.infer<typeof AgentMode>;

/** AGN-014 §4. */
export const AgentModeSummary = z.strictObject({
  id: z.string(),
  key: z.string(),
  displayName: z.string(),
  description: z.string(),
  systemPromptSummary: z.string(),
  isDefault: z.boolean(),
  humanRoleHints: z.array(z.string()),
  exampleUtterances: z.array(z.string()),
});
export type AgentModeSummary = z.infer<typeof AgentModeSummary>;
