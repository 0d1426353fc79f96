import { maskSecretShapes } from '#shared/secret-shapes';

/** What else must not leave, and what stands in its place. */
const rules: readonly (readonly [RegExp, string])[] = [
  [/\b[A-Fa-f0-9]{40,}\b(?![/])/g, '[hex]'],
  // As long as an address may be (RFC 5321); without bounds a long word is looked through from each of its letters.
  [/[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,63}/g, '[email]'],
  [/(?<![\w:/.])(?:\/[\w.@~+-]+){2,}\/?/g, '[path]'],
  [/\b[A-Za-z]:\\[^\s"'<>|]+/g, '[path]'],
  [/(?<!\w)~\/[^\s"'<>|]+/g, '[path]'],
];

const maxMessageLength = 300;
/** Shorter than this, a "key" is a word that could stand in any sentence. */
const shortestKey = 6;
/** No pattern is tried on more than this. */
const maxReadLength = 20_000;

/**
 * A text that may leave this machine's memory: keys, logins, cookies, mail addresses and absolute paths masked, one line,
 * at most 300 characters. It is masked whole before it is cut, so that no half of a secret is left at the end.
 * `known`: values that are secrets on this machine, masked wherever they stand.
 */
export function redactText(text: string, known: readonly string[] = []): string {
  // The known ones before anything is cut: half of one would be told by nothing.
  const told = known
    .filter(({ length }) => length >= shortestKey)
    .reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text)
    .slice(0, maxReadLength);
  const masked = rules.reduce((rest, [pattern, mask]) => rest.replace(pattern, mask), maskSecretShapes(told));
  const line = masked.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > maxMessageLength ? `${line.slice(0, maxMessageLength - 1)}…` : line;
}
