import { structuredPatch } from 'diff';

/** A part of the difference of two texts; the first line of a text is 1. */
export interface LineHunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }[];
}

/** Maximum edits that a comparison looks for: its time grows with their square, and it blocks all other work. */
export const maxEdits = 2_000;

const kinds = { ' ': 'same', '+': 'added', '-': 'removed' } as const;
const isSign = (sign: string): sign is keyof typeof kinds => sign in kinds;

interface CompareOptions {
  /** How many equal lines are around each change. */
  readonly context?: number;
  readonly limit?: number;
}

/** The lines that differ; undefined when the texts differ in more than `limit` edits. */
export function compareLines(
  before: string,
  after: string,
  { context = 3, limit = maxEdits }: CompareOptions = {},
): readonly LineHunk[] | undefined {
  const options = { context, maxEditLength: limit };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  return patch?.hunks.map(({ oldStart, newStart, lines }) => ({
    oldStart,
    newStart,
    lines: lines.flatMap((line) => {
      const sign = line.charAt(0);
      return isSign(sign) ? [{ kind: kinds[sign], text: line.slice(1) }] : [];
    }),
  }));
}

const linesOf = (text: string, kind: 'added' | 'removed') =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => ({ kind, text: line }));

/** All lines of the old text, then all of the new one. */
export const wholeTexts = (before: string, after: string): LineHunk => ({
  oldStart: 1,
  newStart: 1,
  lines: [...linesOf(before, 'removed'), ...linesOf(after, 'added')],
});
