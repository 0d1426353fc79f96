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
export const matchesAtMost = 10_000;

const countIn = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/**
 * Finds every place that fits what was typed, in order, up to a bound. Blocks that did not change since the last call are
 * not read again, so that a long session may grow while it is searched.
 */
export function createMatchFinder(typed: string): (blocks: TurnBlocks) => readonly Match[] {
  const pattern = findPattern(typed);
  if (!pattern) return () => [];
  const known = new WeakMap<readonly Turn[], readonly Match[]>();
  const inTurn = (turn: Turn): readonly Match[] => {
    const count = textsOf(turn).reduce((sum, text) => sum + countIn(text, pattern), 0);
    return Array.from({ length: Math.min(count, matchesAtMost) }, (_, nth) => ({ turn: turn.turn, nth }));
  };
  const inBlock = (block: readonly Turn[]): readonly Match[] => {
    const before = known.get(block);
    if (before) return before;
    const found = block.flatMap(inTurn);
    known.set(block, found);
    return found;
  };
  return (blocks) => blocks.flatMap(inBlock).slice(0, matchesAtMost);
}

/** A part of a frame: what is typed and scrolled meanwhile comes first. */
const sliceMs = 8;

/**
 * Finds block by block, leaving the thread after some milliseconds, and calls back with every place; what was found before is not looked
 * for again. Returns the way to stop.
 */
export function findInSlices(
  find: (blocks: TurnBlocks) => readonly Match[],
  blocks: TurnBlocks,
  done: (matches: readonly Match[]) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let at = 0;
  const slice = (): void => {
    const until = performance.now() + sliceMs;
    do {
      find(blocks.slice(at, at + 1));
      at += 1;
    } while (at < blocks.length && performance.now() < until);
    if (at < blocks.length) timer = setTimeout(slice);
    else done(find(blocks));
  };
  slice();
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
