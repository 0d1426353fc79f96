import type { AgentMode } from '#shared/mode';
import type { ResolverItem } from '#shared/resolver';

/** A mode's purpose and, if declared, the user's role in it (AGN-014 §3, HumanRoleHints). */
const describe = ({ description, whenToUse, humanRoleHints }: AgentMode): string =>
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
    description: describe(mode),
    aliases: [...new Set([mode.id, mode.key.replaceAll('_', ' '), ...mode.aliases])],
    keywords: [...mode.toolGroupHints],
    userTitled: !bundled.has(mode.key),
  }));
}
