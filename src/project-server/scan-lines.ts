import type { LineMatcher } from './line-matcher';

/** The text to search: a file, or part of one. */
export interface SearchText {
  readonly path: string;
  readonly firstLine: number;
  readonly text: string;
}

export interface Hit {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly before?: string[];
  readonly after?: string[];
}

/** The result for one text: how many matches on how many lines, and the first matches in full. */
export interface Scan {
  readonly path: string;
  readonly matches: number;
  readonly lines: number;
  readonly hits: readonly Hit[];
}

const SHOWN_CHARACTERS = 300;

/**
 * Searches line by line; continues to count after it has `keep` hits. `context` lines come from the same text
 * only.
 */
export function scanLines(searched: SearchText, match: LineMatcher, maxHits: number, context: number): Scan {
  const lines = searched.text.split('\n');
  const hits: Hit[] = [];
  let matches = 0;
  let matchingLines = 0;
  lines.forEach((raw, index) => {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    const before = matches;
    match(line, (at, length) => {
      matches += 1;
      if (hits.length < maxHits) hits.push(hitAt({ searched, lines, index, context }, line, at, length));
    });
    if (matches > before) matchingLines += 1;
  });
  return { path: searched.path, matches, lines: matchingLines, hits };
}

interface Spot {
  readonly searched: SearchText;
  readonly lines: readonly string[];
  readonly index: number;
  readonly context: number;
}

function hitAt(spot: Spot, line: string, at: number, length: number): Hit {
  const { searched, lines, index, context } = spot;
  const around = (from: number, to: number): string[] =>
    lines.slice(Math.max(0, from), to).map((other) => shown(other, 0, 0));
  return {
    path: searched.path,
    line: searched.firstLine + index,
    column: at + 1,
    text: shown(line, at, length),
    ...(context === 0
      ? {}
      : { before: around(index - context, index), after: around(index + 1, index + 1 + context) }),
  };
}

/** Cuts a long line to a window around the match, with `…` for each omitted part. */
function shown(line: string, at: number, length: number): string {
  if (line.length <= SHOWN_CHARACTERS) return line;
  const from = Math.max(
    0,
    Math.min(at - Math.floor((SHOWN_CHARACTERS - length) / 2), line.length - SHOWN_CHARACTERS),
  );
  const start = length > SHOWN_CHARACTERS ? at : from;
  const end = Math.min(line.length, start + SHOWN_CHARACTERS);
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`;
}
