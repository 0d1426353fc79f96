import type { AgentMode } from '#shared/mode';

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `- ${line}`)];

const joined = (title: string, words: readonly string[]): readonly string[] =>
  words.length === 0 ? [] : [`${title}: ${words.join('; ')}`];

/** What the active mode asks of the model (AGN-014 §3, ModeInstructions and hints); '' for a mode that asks nothing. */
export function modeInstructionsBlock(mode: AgentMode): string {
  const lines = [
    ...section('Instructions:', mode.modeInstructions),
    ...joined('Behavior hints', mode.behaviorHints),
    ...joined('What the user is typically doing', mode.humanRoleHints),
    ...joined('Preferred sources', mode.ragScopeHints),
  ];
  return lines.length === 0 ? '' : [`Mode Instructions: ${mode.key}`, '', ...lines].join('\n');
}
