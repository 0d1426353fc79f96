import { text } from '../../locales/text';
import type { Draft, Fold } from '../../store/drafts';

/** Longer pastes are folded, so that the field stays small and typing fast. */
export const foldFrom = 10_000;

/**
 * The placeholder for a pasted text in the field. Nobody types its characters by chance, and it counts as a
 * placeholder only while its paste exists.
 */
const placeholderOf = (number: number): string => `⟦Pasted text ${number}⟧`;
const placeholderPattern = /⟦Pasted text \d+⟧/g;

/** Pasted texts by their placeholder. */
export type Pastes = ReadonlyMap<string, string>;

/** A pasted text that the field shows as a placeholder. */
export interface Paste {
  readonly placeholder: string;
  readonly text: string;
}

export interface Field {
  /** The content of the field: the draft with placeholders for folded texts. */
  readonly text: string;
  readonly pastes: Pastes;
}

export interface PlaceholderRange {
  readonly placeholder: string;
  readonly start: number;
  readonly end: number;
}

/** The placeholders in a field's text, in order. */
export function placeholdersIn({ text, pastes }: Field): readonly PlaceholderRange[] {
  if (pastes.size === 0) return [];
  return Array.from(text.matchAll(placeholderPattern), ({ 0: placeholder, index }) => ({
    placeholder,
    start: index,
    end: index + placeholder.length,
  })).filter(({ placeholder }) => pastes.has(placeholder));
}

/** The first placeholder that neither a paste nor the text uses yet. */
export function nextPlaceholder({ text, pastes }: Field): string {
  for (let number = 1; ; number += 1) {
    const placeholder = placeholderOf(number);
    if (!pastes.has(placeholder) && !text.includes(placeholder)) return placeholder;
  }
}

/**
 * The draft behind a field: replaces every placeholder with its pasted text, once, whatever that text itself
 * contains.
 */
export function unfold(field: Field): Draft {
  const pieces: string[] = [];
  const folds: Fold[] = [];
  let length = 0;
  let from = 0;
  const add = (piece: string) => {
    pieces.push(piece);
    length += piece.length;
  };
  for (const { placeholder, start, end } of placeholdersIn(field)) {
    const pasted = field.pastes.get(placeholder) ?? '';
    add(field.text.slice(from, start));
    folds.push([length, length + pasted.length]);
    add(pasted);
    from = end;
  }
  add(field.text.slice(from));
  return { text: pieces.join(''), folds };
}

/** The field that shows a draft. A long text without folds (an old message being edited) becomes one fold. */
export function fold({ text, folds }: Draft): Field {
  const parts: readonly Fold[] = folds.length === 0 && text.length > foldFrom ? [[0, text.length]] : folds;
  const ends = [...parts.map(([start]) => start), text.length];
  const plain = ends.map((end, index) => text.slice(parts[index - 1]?.[1] ?? 0, end));
  const pastes = new Map<string, string>();
  const remaining = plain.join('\n');
  const marks = parts.map(([start, end]) => {
    const placeholder = nextPlaceholder({ text: remaining, pastes });
    pastes.set(placeholder, text.slice(start, end));
    return placeholder;
  });
  return { text: plain.map((piece, index) => piece + (marks[index] ?? '')).join(''), pastes };
}

/** Moves an edge of the selection out of a placeholder, so that the caret passes it like one letter. */
export function outsidePlaceholders(field: Field, edge: number, before: number): number {
  const placeholder = placeholdersIn(field).find(({ start, end }) => edge > start && edge < end);
  if (!placeholder) return edge;
  if (before === placeholder.start) return placeholder.end;
  if (before === placeholder.end) return placeholder.start;
  return edge - placeholder.start < placeholder.end - edge ? placeholder.start : placeholder.end;
}

/** The number of lines in a text; the last line counts even without a line break. */
export function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1))
    lines += 1;
  return lines;
}

/** The name of a placeholder and the number of lines it replaces. */
export function describePaste(placeholder: string, pasted: string): string {
  return text('composer.paste.about', { name: placeholder.slice(1, -1), lines: countLines(pasted) });
}
