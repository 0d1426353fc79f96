import type { AgentMode } from '#shared/mode';
import { linesFor, reachText, type OfferedTools } from '../tools/offered-tools';
import type { ModeCatalog } from './mode-catalog';

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `- ${line}`)];

const joined = (title: string, words: readonly string[]): readonly string[] =>
  words.length === 0 ? [] : [`${title}: ${words.join('; ')}`];

/**
 * What the active mode asks of the model (AGN-014 §3, ModeInstructions and hints), and what the model can do in this call;
 * '' where there is nothing of either. An instruction that names a tool the call does not offer is left out.
 */
export function modeInstructionsBlock(mode: AgentMode, offered: OfferedTools): string {
  const lines = [
    ...section('Instructions:', linesFor(offered, mode.modeInstructions)),
    ...joined('Behavior hints', mode.behaviorHints),
    ...joined('What the user is typically doing', mode.humanRoleHints),
    ...joined('Preferred sources', mode.ragScopeHints),
  ];
  const asked = lines.length === 0 ? '' : [`Mode Instructions: ${mode.key}`, '', ...lines].join('\n');
  return [asked, reachText(offered)].filter((text) => text !== '').join('\n\n');
}

/** The modes, and how to switch between them where the call offers the tool that does (AGN-014 §6.1). */
export function modeCatalogBlock(modes: ModeCatalog, { key }: AgentMode, offered: OfferedTools): string {
  const switches = offered.names.includes('agent_change_mode');
  return switches ? modes.buildSystemPrompt(key) : modes.buildModeList(key);
}
