import type { AgentMode, AgentModeSummary } from '#shared/mode';
import { createSummary } from './mode-summary';

/** The four operations of AGN-014 §5, and what the host needs beside them. */
export interface ModeCatalog {
  /** In catalog order; the caller's own copies. */
  readonly getAllModes: () => readonly AgentModeSummary[];
  /** The block of AGN-014 §6.2: LF, no newline at its end. A key that is null, empty or unknown: the default mode's. */
  readonly buildSystemPrompt: (currentModeKey: string | null | undefined) => string;
  /** The same without the section on switching, for a call that does not offer agent_change_mode. */
  readonly buildModeList: (currentModeKey: string | null | undefined) => string;
  /** The frozen mode of a key. Throws for an unknown one, with the key and every valid key: asking for it is a caller's bug. */
  readonly getMode: (modeKey: string) => AgentMode;
  /** A copy of the mode's tool ids. Throws as `getMode` does. */
  readonly getToolsForMode: (modeKey: string) => string[];
  /** By Key or by Id, for what comes from outside: a stored session, a tool call, the command line. */
  readonly find: (keyOrId: string | null | undefined) => AgentMode | undefined;
  /** What `getMode` would throw, as a text to answer with. */
  readonly unknownMode: (modeKey: string) => string;
  readonly defaultMode: AgentMode;
  /** All of them, frozen, in catalog order. */
  readonly modes: readonly AgentMode[];
}

const switching = [
  '- If the user’s request clearly matches another mode’s "when to use" description, you may recommend switching.',
  '- If the user expresses interest in switching, follow the instructions in the agent_change_mode tool.',
  '- If you need more detail about modes, call the agent_list_modes tool.',
];

function frozen(mode: AgentMode): AgentMode {
  const copy = structuredClone(mode);
  for (const value of Object.values(copy)) Object.freeze(value);
  return Object.freeze(copy);
}

function defaultOf(modes: readonly AgentMode[]): AgentMode {
  const found = modes.find((mode) => mode.isDefault);
  if (found === undefined) throw new Error('A mode catalog was made of rows that were not checked.');
  return found;
}

/** The catalog over modes that `checkModes` found nothing wrong with, in the order they are given. Pure and immutable. */
export function createModeCatalog(checked: readonly AgentMode[]): ModeCatalog {
  const modes = Object.freeze(checked.map(frozen));
  const byKey = new Map(modes.map((mode) => [mode.key, mode]));
  const byId = new Map(modes.map((mode) => [mode.id, mode]));
  const defaultMode = defaultOf(modes);
  const validKeys = modes.map(({ key }) => key).join(', ');
  const available = modes.map(({ key, whenToUse }) => `- ${key}: ${whenToUse}`);
  const unknownMode = (modeKey: string): string =>
    `There is no mode "${modeKey}". Valid modes: ${validKeys}.`;
  const getMode = (modeKey: string): AgentMode => {
    const mode = byKey.get(modeKey);
    if (mode === undefined) throw new Error(unknownMode(modeKey));
    return mode;
  };
  const buildModeList = (currentModeKey: string | null | undefined): string => {
    const current = byKey.get(currentModeKey ?? '') ?? defaultMode;
    return [`Current Mode: ${current.key}`, '', 'Available Modes:', ...available].join('\n');
  };
  return {
    modes,
    defaultMode,
    unknownMode,
    getMode,
    getAllModes: () => modes.map(createSummary),
    buildModeList,
    buildSystemPrompt: (currentModeKey) =>
      [buildModeList(currentModeKey), '', 'Mode Switching:', ...switching].join('\n'),
    getToolsForMode: (modeKey) => [...getMode(modeKey).associatedToolIds],
    find: (keyOrId) => byKey.get(keyOrId ?? '') ?? byId.get(keyOrId ?? ''),
  };
}
