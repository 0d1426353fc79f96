import type { Turn, TurnBlocks } from '#shared/session-state';

const syntax = /[\\^$.*+?()[\]{}|/]/g;

/**
 * The typed text as a pattern: any case, any white space between its words. Null when it has no words. The
 * flag `g` is set for callers that search for all matches.
 */
export function findPattern(query: string): RegExp | null {
  const words = query.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  return new RegExp(words.map((word) => word.replace(syntax, '\\$&')).join('\\s+'), 'giu');
}

/** The searched parts of a turn: the line, the reply and the answer of the run. */
const textsOf = (turn: Turn): readonly string[] => [
  turn.text,
  turn.reply?.text ?? '',
  turn.run?.answer ?? '',
];

/** One match: the turn, and the index of the match within the turn. */
export interface Match {
  readonly turn: number;
  readonly nth: number;
}

/** Nobody steps through more matches; counting all of them would only cost time. */
export const maxMatches = 10_000;

/** The number of matches in a text, counted up to a limit. */
function countIn(text: string, pattern: RegExp, atMost: number): number {
  let count = 0;
  pattern.lastIndex = 0;
  while (count < atMost && pattern.test(text)) count += 1;
  return count;
}

/**
 * Finds all matches of the typed text, in order, up to a limit. Blocks that have not changed since the last
 * call are not read again, so that a long session can grow during a search.
 */
export function createMatchFinder(query: string): (blocks: TurnBlocks) => readonly Match[] {
  const pattern = findPattern(query);
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

/** Milliseconds of work per slice: only a part of a frame, so that typing and scrolling take precedence. */
const sliceMs = 6;
/** Milliseconds between slices, because back-to-back timers can delay a frame by several slices. */
const pauseMs = 4;

/**
 * Searches block by block, each slice in its own task, and calls back once with all matches up to the limit.
 * Blocks beyond the limit are not read, and earlier matches are not searched again. Returns the function that
 * stops the search.
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

/** The index of a match in the list; -1 when it no longer exists. */
export function placeOf(matches: readonly Match[], match: Match | null): number {
  return match === null ? -1 : matches.findIndex(({ turn, nth }) => turn === match.turn && nth === match.nth);
}

/** The first match of a search: the first one from turn `anchor` on, else the first of all. */
export function firstFrom(matches: readonly Match[], anchor: number): Match | null {
  return matches.find(({ turn }) => turn >= anchor) ?? matches[0] ?? null;
}

/** The match after (1) or before (-1) another one; wraps around at the ends. */
export function stepFrom(matches: readonly Match[], from: Match, step: -1 | 1): Match | null {
  if (step === 1) return matches.find((match) => isBefore(from, match)) ?? matches[0] ?? null;
  return matches.findLast((match) => isBefore(match, from)) ?? matches.at(-1) ?? null;
}
