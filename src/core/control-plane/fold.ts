/** A longer text is folded only up to this length, so it matches by its beginning. */
const maxNameLength = 512;
const ascii = /^[\u0020-\u007e]*$/;

/**
 * Folds a text for matching: ignores differences in compatibility form, case and marks, drops format
 * characters, and replaces everything except letters, digits, `+` and `#` with one space ("CFO - MidMarket"
 * becomes "cfo midmarket").
 */
export function fold(text: string): string {
  const head = text.length > maxNameLength ? text.slice(0, maxNameLength) : text;
  if (ascii.test(head))
    return head
      .toLowerCase()
      .replace(/[^a-z0-9+#]+/g, ' ')
      .trim();
  return head
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]+/gu, '')
    .replace(/[^\p{L}\p{N}+#]+/gu, ' ')
    .trim();
}

/** The words of a text after folding. */
export function foldedWords(text: string): readonly string[] {
  const folded = fold(text);
  return folded === '' ? [] : folded.split(' ');
}

/** Two texts are strictly equal when their keys are equal: NFC, case fold, white space collapsed. */
export function exactMatchKey(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

/**
 * An id of letters and digits without its separators ("LIST-9" becomes "list9"); undefined for other texts.
 */
export function compactId(folded: string): string | undefined {
  const compact = folded.replaceAll(' ', '');
  return /^[a-z0-9]+$/.test(compact) && /[a-z]/.test(compact) && /\d/.test(compact) ? compact : undefined;
}

/** Orders texts by code units, which gives the same order on every machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
