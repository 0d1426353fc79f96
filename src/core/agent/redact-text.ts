import { maskSecretShapes } from '#shared/secret-shapes';

/** Other sensitive text, and its replacement. */
const rules: readonly (readonly [RegExp, string])[] = [
  [/\b[A-Fa-f0-9]{40,}\b(?![/])/g, '[hex]'],
  // The maximum length of an address (RFC 5321); without bounds the pattern would rescan a long word from
  // each of its letters.
  [/[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,63}/g, '[email]'],
  [/(?<![\w:/.])(?:\/[\w.@~+-]+){2,}\/?/g, '[path]'],
  [/\b[A-Za-z]:\\[^\s"'<>|]+/g, '[path]'],
  [/(?<!\w)~\/[^\s"'<>|]+/g, '[path]'],
];

const maxMessageLength = 300;
/** A shorter "key" could be an ordinary word. */
const shortestKey = 6;
/** Maximum length of the text that patterns are applied to. */
const maxReadLength = 20_000;

/**
 * Redacts a text that may leave this machine's memory: masks keys, logins, cookies, mail addresses and
 * absolute paths, and returns one line of at most 300 characters. Masking comes before truncation, so no
 * partial secret is left at the end. `known`: secret values on this machine, masked wherever they occur.
 */
export function redactText(text: string, known: readonly string[] = []): string {
  // Masks known secrets before truncating, because no rule recognises half of one.
  const secretsByLength = known
    .filter(({ length }) => length >= shortestKey)
    .reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text)
    .slice(0, maxReadLength);
  const masked = rules.reduce(
    (rest, [pattern, mask]) => rest.replace(pattern, mask),
    maskSecretShapes(secretsByLength),
  );
  const line = masked.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > maxMessageLength ? `${line.slice(0, maxMessageLength - 1)}…` : line;
}
