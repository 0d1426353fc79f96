import type { AgentMode } from '#shared/mode';
import type { ResolverItem } from '#shared/resolver';

/** The items of the `modes` catalog: a mode's item is known by its Key; its stored Id and other names are aliases. `brought`: the Keys of Patina's own. */
export function modeItems(
  modes: readonly AgentMode[],
  brought: ReadonlySet<string>,
): readonly ResolverItem[] {
  return modes.map((mode) => ({
    header: { id: mode.key, displayName: mode.displayName },
    description: mode.description ?? mode.whenToUse,
    aliases: [...new Set([mode.id, mode.key.replaceAll('_', ' '), ...mode.aliases])],
    keywords: [...mode.toolGroupHints],
    userTitled: !brought.has(mode.key),
  }));
}
