import type { Match } from './find-matches';

/** More highlights would slow the page down without helping the reader. */
const maxHighlights = 2_000;
const maxCharacters = 400_000;

const names = { otherRanges: 'found', here: 'found-here' } as const;

export interface MatchHighlights {
  /**
   * Highlights all matches in the page, the current one differently. Returns the range of the current match.
   */
  readonly highlight: (log: Element, pattern: RegExp, match: Match | null) => Range | undefined;
  readonly clear: () => void;
}

interface FoundRanges {
  readonly otherRanges: Range[];
  /** Matches in the current turn. */
  readonly here: Range[];
}

function rangesIn(node: Text, pattern: RegExp): Range[] {
  return Array.from(node.data.matchAll(pattern), ({ index, 0: match }) => {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + match.length);
    return range;
  });
}

/** The text nodes of the messages, without the buttons and times around them. */
function* textsIn(log: Element): Generator<Text> {
  const walker = document.createTreeWalker(log, NodeFilter.SHOW_TEXT);
  let left = maxCharacters;
  for (let node = walker.nextNode(); node && left > 0; node = walker.nextNode()) {
    const text = node as Text;
    if (!text.parentElement?.closest('.readable') || text.parentElement.closest('button')) continue;
    left -= text.length;
    yield text;
  }
}

function placesIn(log: Element, pattern: RegExp, match: Match | null): FoundRanges {
  const marked: FoundRanges = { otherRanges: [], here: [] };
  const own = match === null ? null : log.querySelector(`[data-turn="${match.turn}"]`);
  for (const text of textsIn(log)) {
    (own?.contains(text) ? marked.here : marked.otherRanges).push(...rangesIn(text, pattern));
    if (marked.here.length + marked.otherRanges.length > maxHighlights) break;
  }
  return marked;
}

/**
 * Highlights words without changing the page: the browser paints ranges (CSS custom highlights), so React's
 * tree stays untouched. Does nothing where the browser does not support them.
 */
export function createMatchHighlights(): MatchHighlights {
  const highlights = typeof CSS === 'undefined' ? undefined : CSS.highlights;
  return {
    highlight: (log, pattern, match) => {
      const { otherRanges: otherRanges, here } = placesIn(log, pattern, match);
      // The rendered text can have fewer matches than the source: words separated by markup do not match.
      const at = here[Math.min(match?.nth ?? 0, here.length - 1)];
      highlights?.set(
        names.otherRanges,
        new Highlight(...otherRanges, ...here.filter((range) => range !== at)),
      );
      highlights?.set(names.here, new Highlight(...(at ? [at] : [])));
      return at;
    },
    clear: () => {
      for (const name of Object.values(names)) highlights?.delete(name);
    },
  };
}
