import type { CommandDefinition } from '#shared/command';
import type { ResolverItem, SourceDefinition } from '#shared/resolver';
import type { EntityHeader } from '#shared/work-context';

const maxShownLength = 120;
const isolated = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu;

/**
 * A name that is safe to show in a sentence: one line, bounded, without characters that reorder the text
 * around it.
 */
export function shownName({ id, displayName }: EntityHeader): string {
  const name =
    displayName
      .slice(0, 4 * maxShownLength)
      .replace(isolated, ' ')
      .trim() || id.slice(0, maxShownLength);
  const characters = [...name];
  return characters.length > maxShownLength ? `${characters.slice(0, maxShownLength - 1).join('')}…` : name;
}

/** The noun for one item of a source, in its fullest form. */
export function kindOf(definition: SourceDefinition | undefined): string {
  return definition?.nouns.one[0] ?? 'item';
}

/** The question that the user answers before a command with side effects runs (AGN-000037 §8). */
export function confirmationOf(command: CommandDefinition, item: EntityHeader, focus: string): string {
  const text = command.confirmation?.text ?? `Run “${command.displayName}” for “{item}”?`;
  return text.replace(/\{(item|focus)\}/gu, (_whole, name: string) =>
    name === 'item' ? shownName(item) : focus,
  );
}

/** Distinct labels for a few items. */
export function labelsOf(items: readonly ResolverItem[]): readonly string[] {
  const names = items.map(({ header }) => shownName(header));
  return items.map(({ header }, index) => {
    const name = names[index] ?? '';
    return names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${header.id})`;
  });
}
