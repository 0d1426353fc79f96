import type { AgentMode } from '#shared/mode';
import { linesFor, reachText, type OfferedTools } from '../tools/offered-tools';
import type { ModeCatalog } from './mode-catalog';

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `- ${line}`)];

const joined = (title: string, words: readonly string[]): readonly string[] =>
  words.length === 0 ? [] : [`${title}: ${words.join('; ')}`];

/**
 * The active mode's instructions and hints to the model (AGN-014 §3), and what the model can do in this call;
 * '' when both are empty. Omits an instruction that names a tool not offered in the call.
 */
export function modeInstructionsBlock(mode: AgentMode, offered: OfferedTools): string {
  const lines = [
    ...section('Instructions:', linesFor(offered, mode.modeInstructions)),
    ...joined('Behavior hints', mode.behaviorHints),
    ...joined('What the user is typically doing', mode.humanRoleHints),
    ...joined('Preferred sources', mode.ragScopeHints),
  ];
  const instructions = lines.length === 0 ? '' : [`Mode Instructions: ${mode.key}`, '', ...lines].join('\n');
  return [instructions, reachText(offered)].filter((text) => text !== '').join('\n\n');
}

/** The mode list and, when the call offers agent_change_mode, how to switch (AGN-014 §6.1). */
export function modeCatalogBlock(modes: ModeCatalog, { key }: AgentMode, offered: OfferedTools): string {
  const switches = offered.names.includes('agent_change_mode');
  return switches ? modes.buildSystemPrompt(key) : modes.buildModeList(key);
}
