const mask = '[key]';
/** Shorter than this, a "key" is a word that could stand in any sentence. */
const shortestKey = 6;
const longestQuote = 300;

/**
 * Text of a provider made fit to be shown: the key it may echo (as it is, URL-encoded or in base64) masked, control and
 * direction characters removed, one line, at most 300 characters.
 */
export function quoted(text: string, key: string | null): string {
  const line = withoutKey(text, key)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return line.length > longestQuote ? `${line.slice(0, longestQuote - 1)}…` : line;
}

/** The text with every form of the key masked. */
export function withoutKey(text: string, key: string | null): string {
  if (key === null || key.length < shortestKey) return text;
  const base64 = Buffer.from(key, 'utf8').toString('base64').replace(/=+$/, '');
  return [key, encodeURIComponent(key), base64].reduce((rest, form) => rest.replaceAll(form, mask), text);
}
