/** Each kind of text that must not leave, and what stands in its place. Longer forms come before the shorter ones they hold. */
const rules: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(?:-----END [A-Z0-9 ]+-----|$)/g, '[pem]'],
  [/\b(set-cookie|cookie)\b["']?\s*[:=]\s*[^\r\n]+/gi, '$1: [cookie]'],
  [/\b(proxy-authorization|authorization)\b["']?\s*[:=]\s*[^\r\n]+/gi, '$1: [key]'],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/-]{6,}=*/gi, '$1 [key]'],
  [/\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:[^\s/@]+@/gi, '[login]@'],
  [
    /\b([\w-]*(?:api[_-]?key|access[_-]?key|secret|token|passwd|password|pwd|credential)[\w-]*)(["']?\s*[:=]\s*["']?)[^\s"',;&}]+/gi,
    '$1$2[key]',
  ],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)?/g, '[key]'],
  [/\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}/g, '[key]'],
  [/\b(?:gh[pousr]|github_pat|glpat|xox[abeoprs]|npm|hf)[-_][A-Za-z0-9_-]{8,}/g, '[key]'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g, '[key]'],
  [/\bAIza[A-Za-z0-9_-]{20,}/g, '[key]'],
  [/\b[A-Fa-f0-9]{40,}\b(?![/])/g, '[hex]'],
  [/[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}/g, '[email]'],
  [/(?<![\w:/.])(?:\/[\w.@~+-]+){2,}\/?/g, '[path]'],
  [/\b[A-Za-z]:\\[^\s"'<>|]+/g, '[path]'],
  [/(?<!\w)~\/[^\s"'<>|]+/g, '[path]'],
];

const longest = 300;
/** Shorter than this, a "key" is a word that could stand in any sentence. */
const shortestKey = 6;
/** No pattern is tried on more than this. */
const mostRead = 20_000;

/**
 * A text that may leave this machine's memory: keys, logins, cookies, mail addresses and absolute paths masked, one line,
 * at most 300 characters. It is masked whole before it is cut, so that no half of a secret is left at the end.
 * `known`: values that are secrets on this machine, masked wherever they stand.
 */
export function redactText(text: string, known: readonly string[] = []): string {
  const told = known
    .filter(({ length }) => length >= shortestKey)
    .reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text.slice(0, mostRead));
  const masked = rules.reduce((rest, [pattern, mask]) => rest.replace(pattern, mask), told);
  const line = masked.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
