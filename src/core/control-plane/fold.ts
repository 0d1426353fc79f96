/** A name longer than this is found by its beginning. */
const maxNameLength = 512;
const ascii = /^[\u0020-\u007e]*$/;

/**
 * Folds a text for finding: compatibility forms, format characters, case, marks and everything that is no letter,
 * digit, `+` or `#` make no difference ("CFO - MidMarket" is "cfo midmarket"). Words are separated by one space.
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

/** The words of a text as they are found. */
export function foldedWords(text: string): readonly string[] {
  const folded = fold(text);
  return folded === '' ? [] : folded.split(' ');
}

/** Two texts are strictly equal when these are: NFC, case fold, white space collapsed. */
export function exactMatchKey(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** An id of letters and digits without its separators ("LIST-9" is "list9"); nothing for any other. */
export function compactId(folded: string): string | undefined {
  const compact = folded.replaceAll(' ', '');
  return /^[a-z0-9]+$/.test(compact) && /[a-z]/.test(compact) && /\d/.test(compact) ? compact : undefined;
}

/** The one order of texts, on every machine: by code units. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
