import type { Draft, Fold } from '../../store/drafts';

/** A paste longer than this is folded: the field stays small, and so the time a keystroke takes. */
export const foldFrom = 10_000;

/**
 * What stands for a pasted text in the field. It is made of characters nobody types by chance, and counts as a mark only
 * while there is a paste it stands for.
 */
const markOf = (number: number): string => `⟦Pasted text ${number}⟧`;
const markPattern = /⟦Pasted text \d+⟧/g;

/** Pasted texts by the mark that stands for them. */
export type Pastes = ReadonlyMap<string, string>;

/** A pasted text that stands in the field as a mark. */
export interface Paste {
  readonly mark: string;
  readonly text: string;
}

export interface Field {
  /** What is in the field: the draft with marks for what is folded. */
  readonly text: string;
  readonly pastes: Pastes;
}

export interface MarkRange {
  readonly mark: string;
  readonly start: number;
  readonly end: number;
}

/** The marks in a field's text, in order. */
export function marksIn({ text, pastes }: Field): readonly MarkRange[] {
  if (pastes.size === 0) return [];
  return Array.from(text.matchAll(markPattern), ({ 0: mark, index }) => ({
    mark,
    start: index,
    end: index + mark.length,
  })).filter(({ mark }) => pastes.has(mark));
}

/** A mark that neither stands for a paste yet nor is in the text. */
export function freeMark({ text, pastes }: Field): string {
  for (let number = 1; ; number += 1) {
    const mark = markOf(number);
    if (!pastes.has(mark) && !text.includes(mark)) return mark;
  }
}

/** The draft a field stands for: every mark replaced by what was pasted, once, whatever that text itself holds. */
export function unfold(field: Field): Draft {
  const pieces: string[] = [];
  const folds: Fold[] = [];
  let length = 0;
  let from = 0;
  const add = (piece: string) => {
    pieces.push(piece);
    length += piece.length;
  };
  for (const { mark, start, end } of marksIn(field)) {
    const pasted = field.pastes.get(mark) ?? '';
    add(field.text.slice(from, start));
    folds.push([length, length + pasted.length]);
    add(pasted);
    from = end;
  }
  add(field.text.slice(from));
  return { text: pieces.join(''), folds };
}

/** The field a draft is shown in. A long text nobody folded (an old message edited) is one fold. */
export function fold({ text, folds }: Draft): Field {
  const parts: readonly Fold[] = folds.length === 0 && text.length > foldFrom ? [[0, text.length]] : folds;
  const ends = [...parts.map(([start]) => start), text.length];
  const plain = ends.map((end, index) => text.slice(parts[index - 1]?.[1] ?? 0, end));
  const pastes = new Map<string, string>();
  const typed = plain.join('\n');
  const marks = parts.map(([start, end]) => {
    const mark = freeMark({ text: typed, pastes });
    pastes.set(mark, text.slice(start, end));
    return mark;
  });
  return { text: plain.map((piece, index) => piece + (marks[index] ?? '')).join(''), pastes };
}

/** Where an edge of the selection belongs that would stand inside a mark: a mark is passed as one, like a letter. */
export function outsideMarks(field: Field, edge: number, before: number): number {
  const mark = marksIn(field).find(({ start, end }) => edge > start && edge < end);
  if (!mark) return edge;
  if (before === mark.start) return mark.end;
  if (before === mark.end) return mark.start;
  return edge - mark.start < mark.end - edge ? mark.start : mark.end;
}

const grouped = new Intl.NumberFormat('en-US');

/** How many lines a text has; the last one counts without a line end of its own. */
export function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1))
    lines += 1;
  return lines;
}

/** The number on a mark and how many lines are behind it. */
export function describePaste(mark: string, text: string): string {
  const lines = countLines(text);
  return `${mark.slice(1, -1)} · ${grouped.format(lines)} line${lines === 1 ? '' : 's'}`;
}
