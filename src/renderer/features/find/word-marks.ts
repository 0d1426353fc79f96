/** Beyond these the page would be slower and nobody the wiser. */
const marksAtMost = 2_000;
const charactersAtMost = 400_000;

const names = { elsewhere: 'found', here: 'found-here' } as const;

export interface WordMarks {
  /** Marks every place in the page that fits, those of one turn apart. Returns the first range in that turn. */
  readonly mark: (log: Element, pattern: RegExp, turn: number | null) => Range | undefined;
  readonly clear: () => void;
}

interface Marked {
  readonly elsewhere: Range[];
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

/** Places in the text that is read, not in the buttons and times around it. */
function* textsIn(log: Element): Generator<Text> {
  const walker = document.createTreeWalker(log, NodeFilter.SHOW_TEXT);
  let left = charactersAtMost;
  for (let node = walker.nextNode(); node && left > 0; node = walker.nextNode()) {
    const text = node as Text;
    if (!text.parentElement?.closest('.readable') || text.parentElement.closest('button')) continue;
    left -= text.length;
    yield text;
  }
}

function placesIn(log: Element, pattern: RegExp, turn: number | null): Marked {
  const marked: Marked = { elsewhere: [], here: [] };
  const own = turn === null ? null : log.querySelector(`[data-turn="${turn}"]`);
  for (const text of textsIn(log)) {
    (own?.contains(text) ? marked.here : marked.elsewhere).push(...rangesIn(text, pattern));
    if (marked.here.length + marked.elsewhere.length > marksAtMost) break;
  }
  return marked;
}

/**
 * Marks words in the page without touching it: the browser paints ranges (CSS custom highlights), so React's tree stays
 * as it is. Where there is no such thing nothing is marked.
 */
export function createWordMarks(): WordMarks {
  const highlights = typeof CSS === 'undefined' ? undefined : CSS.highlights;
  return {
    mark: (log, pattern, turn) => {
      const { elsewhere, here } = placesIn(log, pattern, turn);
      highlights?.set(names.elsewhere, new Highlight(...elsewhere));
      highlights?.set(names.here, new Highlight(...here));
      return here[0];
    },
    clear: () => {
      for (const name of Object.values(names)) highlights?.delete(name);
    },
  };
}
