import type { Turn, TurnBlocks } from '#shared/session-state';

const syntax = /[\\^$.*+?()[\]{}|/]/g;

/**
 * What was typed as a pattern: any case, any white space between its words. Nothing when there are no words. The flag
 * `g` is set for those who look for every place.
 */
export function findPattern(typed: string): RegExp | null {
  const words = typed.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  return new RegExp(words.map((word) => word.replace(syntax, '\\$&')).join('\\s+'), 'giu');
}

/** What of a turn is searched: the line, the reply, the answer of the run. */
const textsOf = (turn: Turn): readonly string[] => [
  turn.text,
  turn.reply?.text ?? '',
  turn.run?.answer ?? '',
];

/**
 * Finds the turns that hold what was typed, in order. Blocks that did not change since the last call are not read
 * again, so that a long session may grow while it is searched.
 */
export function createTurnFinder(typed: string): (blocks: TurnBlocks) => readonly number[] {
  const pattern = findPattern(typed);
  if (!pattern) return () => [];
  const known = new WeakMap<readonly Turn[], readonly number[]>();
  const holds = (text: string) => text.search(pattern) >= 0;
  const inBlock = (block: readonly Turn[]): readonly number[] => {
    const before = known.get(block);
    if (before) return before;
    const found = block.filter((turn) => textsOf(turn).some(holds)).map(({ turn }) => turn);
    known.set(block, found);
    return found;
  };
  return (blocks) => blocks.flatMap(inBlock);
}

/** The match a search begins with: the first one from `anchor` on, else the first of all. */
export function firstFrom(matches: readonly number[], anchor: number): number | null {
  return matches.find((turn) => turn >= anchor) ?? matches[0] ?? null;
}

/** The match after (1) or before (-1) a turn, around the end. */
export function stepFrom(matches: readonly number[], turn: number, step: -1 | 1): number | null {
  if (step === 1) return firstFrom(matches, turn + 1);
  return matches.findLast((match) => match < turn) ?? matches.at(-1) ?? null;
}
