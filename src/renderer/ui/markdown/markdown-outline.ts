import type { MarkdownToken } from './markdown-parse';

/** The page has level 1, the turn level 2: a text's own headings begin below. */
const firstLevel = 3;
const lastLevel = 6;

/**
 * The outline level of each block that is a heading. Levels follow how the headings stand to each other, not the marks
 * they were written with: none is skipped, however the text begins. Text that comes later changes no earlier level.
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
