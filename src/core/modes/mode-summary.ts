import type { AgentMode, AgentModeSummary } from '#shared/mode';

/** The summary of a mode for tools and the window; a copy (AGN-014 §4). */
export function createSummary(mode: AgentMode): AgentModeSummary {
  return {
    id: mode.id,
    key: mode.key,
    displayName: mode.displayName,
    description: mode.description ?? mode.whenToUse,
    systemPromptSummary: mode.whenToUse,
    isDefault: mode.isDefault,
    humanRoleHints: [...mode.humanRoleHints],
    exampleUtterances: [...mode.exampleUtterances],
  };
}
