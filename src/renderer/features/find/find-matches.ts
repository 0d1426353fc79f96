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

/** One place that fits: the turn, and which of the turn's places it is. */
export interface Match {
  readonly turn: number;
  readonly nth: number;
}

/** Nobody steps through more; counting them all would only cost time. */
export const maxMatches = 10_000;

/** How often a pattern fits a text, counted up to a bound. */
function countIn(text: string, pattern: RegExp, atMost: number): number {
  let count = 0;
  pattern.lastIndex = 0;
  while (count < atMost && pattern.test(text)) count += 1;
  return count;
}

/**
 * Finds every place that fits what was typed, in order, up to a bound. Blocks that did not change since the last call are
 * not read again, so that a long session may grow while it is searched.
 */
export function createMatchFinder(typed: string): (blocks: TurnBlocks) => readonly Match[] {
  const pattern = findPattern(typed);
  if (!pattern) return () => [];
  const known = new WeakMap<readonly Turn[], readonly Match[]>();
  const readBlock = (block: readonly Turn[]): readonly Match[] => {
    const found: Match[] = [];
    for (const turn of block) {
      const count = textsOf(turn).reduce(
        (sum, text) => sum + countIn(text, pattern, maxMatches - found.length - sum),
        0,
      );
      for (let nth = 0; nth < count; nth += 1) found.push({ turn: turn.turn, nth });
    }
    return found;
  };
  const inBlock = (block: readonly Turn[]): readonly Match[] => {
    const before = known.get(block);
    if (before) return before;
    const found = readBlock(block);
    known.set(block, found);
    return found;
  };
  return (blocks) => {
    const found: Match[] = [];
    for (const block of blocks) {
      found.push(...inBlock(block));
      if (found.length >= maxMatches) return found.slice(0, maxMatches);
    }
    return found;
  };
}

/** A part of a frame: what is typed and scrolled meanwhile comes first. */
const sliceMs = 6;
/** Timers that follow at once can keep a frame waiting for several slices. */
const pauseMs = 4;

/**
 * Finds block by block, each slice in a task of its own, and calls back once with every place up to the bound; blocks behind the bound
 * are not read, and what was found before is not looked for again. Returns the way to stop.
 */
export function findInSlices(
  find: (blocks: TurnBlocks) => readonly Match[],
  blocks: TurnBlocks,
  done: (matches: readonly Match[]) => void,
): () => void {
  let at = 0;
  let count = 0;
  const isOver = (): boolean => at >= blocks.length || count >= maxMatches;
  const slice = (): void => {
    const until = performance.now() + sliceMs;
    while (!isOver() && performance.now() < until) {
      count += find(blocks.slice(at, at + 1)).length;
      at += 1;
    }
    if (isOver()) done(find(blocks.slice(0, at)));
    else timer = setTimeout(slice, pauseMs);
  };
  let timer = setTimeout(slice);
  return () => clearTimeout(timer);
}

const isBefore = (one: Match, other: Match): boolean =>
  one.turn < other.turn || (one.turn === other.turn && one.nth < other.nth);

/** Where in the list a match is; -1 when it is there no more. */
export function placeOf(matches: readonly Match[], match: Match | null): number {
  return match === null ? -1 : matches.findIndex(({ turn, nth }) => turn === match.turn && nth === match.nth);
}

/** The match a search begins with: the first one from the turn `anchor` on, else the first of all. */
export function firstFrom(matches: readonly Match[], anchor: number): Match | null {
  return matches.find(({ turn }) => turn >= anchor) ?? matches[0] ?? null;
}

/** The match after (1) or before (-1) one, around the end. */
export function stepFrom(matches: readonly Match[], from: Match, step: -1 | 1): Match | null {
  if (step === 1) return matches.find((match) => isBefore(from, match)) ?? matches[0] ?? null;
  return matches.findLast((match) => isBefore(match, from)) ?? matches.at(-1) ?? null;
}
