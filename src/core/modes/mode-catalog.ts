import type { AgentMode, AgentModeSummary } from '#shared/mode';
import type { ResolverItem } from '#shared/resolver';
import { createSummary } from './mode-summary';

/** The four operations of AGN-014 §5, and additional lookups for the host. */
export type ModeCatalog = ReturnType<typeof createModeCatalog>;

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

/**
 * Creates the catalog from modes that passed `checkModes`, in the given order. Pure;
 * the catalog is immutable.
 */
export function createModeCatalog(checked: readonly AgentMode[]) {
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
    /** All modes, frozen, in catalog order. */
    modes,
    defaultMode,
    /** The error message of `getMode`, for replies. */
    unknownMode,
    /**
     * The frozen mode of a key. An unknown key is a caller's bug and throws an error that
     * names it and every valid key.
     */
    getMode,
    /** In catalog order; returns copies. */
    getAllModes: (): readonly AgentModeSummary[] => modes.map(createSummary),
    /** The same block without the section on switching, for calls that do not offer agent_change_mode. */
    buildModeList,
    /**
     * The block of AGN-014 §6.2: LF line endings, no trailing newline. A null, empty or unknown
     * key means the default mode.
     */
    buildSystemPrompt: (currentModeKey: string | null | undefined): string =>
      [buildModeList(currentModeKey), '', 'Mode Switching:', ...switching].join('\n'),
    /** A copy of the mode's tool ids. Throws like `getMode`. */
    getToolsForMode: (modeKey: string): string[] => [...getMode(modeKey).associatedToolIds],
    /** Finds a mode by Key or Id, for external input: a stored session, a tool call, the command line. */
    find: (keyOrId: string | null | undefined): AgentMode | undefined =>
      byKey.get(keyOrId ?? '') ?? byId.get(keyOrId ?? ''),
  };
}

/** A mode's purpose and, if declared, the user's role in it (AGN-014 §3, HumanRoleHints). */
const describeMode = ({ description, whenToUse, humanRoleHints }: AgentMode): string =>
  [description ?? whenToUse, ...humanRoleHints].join(' ');

/**
 * The items of the `modes` catalog: a mode's item id is its Key; its stored Id and other names are aliases.
 * `bundled`: the Keys of Patina's own modes.
 */
export function modeItems(
  modes: readonly AgentMode[],
  bundled: ReadonlySet<string>,
): readonly ResolverItem[] {
  return modes.map((mode) => ({
    header: { id: mode.key, displayName: mode.displayName },
    description: describeMode(mode),
    aliases: [...new Set([mode.id, mode.key.replaceAll('_', ' '), ...mode.aliases])],
    keywords: [...mode.toolGroupHints],
    userTitled: !bundled.has(mode.key),
  }));
}
