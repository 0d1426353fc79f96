import type { AgentMode } from '#shared/mode';
import type { ResolverItem } from '#shared/resolver';

/** The items of the `modes` catalog: a mode's item is known by its Key; its stored Id and other names are aliases. */
export function modeItems(modes: readonly AgentMode[]): readonly ResolverItem[] {
  return modes.map((mode) => ({
    header: { id: mode.key, displayName: mode.displayName },
    description: mode.description ?? mode.whenToUse,
    aliases: [...new Set([mode.id, mode.key.replaceAll('_', ' '), ...mode.aliases])],
    keywords: [...mode.toolGroupHints],
  }));
}
