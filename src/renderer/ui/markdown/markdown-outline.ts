import type { MarkdownToken } from '#shared/markdown/parse';

/** The page has level 1 and a turn level 2, so headings of a text begin at level 3. */
const firstLevel = 3;
const lastLevel = 6;

/**
 * The outline level of each block that is a heading. Levels follow the nesting of the headings, not their
 * source level, so no level is skipped. Text that arrives later never changes an earlier level.
 */
export function outlineLevels(blocks: readonly MarkdownToken[]): readonly (number | undefined)[] {
  const above: number[] = [];
  return blocks.map((token) => {
    if (token.type !== 'heading') return undefined;
    const depth = Number(token.depth);
    while (depth <= (above.at(-1) ?? 0)) above.pop();
    above.push(depth);
    return Math.min(lastLevel, firstLevel + above.length - 1);
  });
}
