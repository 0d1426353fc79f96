/**
 * Patterns of keys, logins and cookies, with their replacements. Longer forms come before the shorter ones
 * they contain; repetitions followed by more pattern are bounded, so that matching stays linear in the text.
 */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(?:-----END [A-Z0-9 ]+-----|$)/g, '[pem]'],
  [/\b(set-cookie|cookie)\b["']?\s*[:=]\s*[^\r\n]+/gi, '$1: [cookie]'],
  [/\b(proxy-authorization|authorization)\b["']?\s*[:=]\s*[^\r\n]+/gi, '$1: [key]'],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/-]{6,}=*/gi, '$1 [key]'],
  [/\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]{1,200}:[^\s/@]{1,400}@/gi, '[login]@'],
  [
    /\b([\w-]{0,40}(?:api[_-]?key|access[_-]?key|secret|token|passwd|password|pwd|credential)[\w-]{0,40})(["']?\s*[:=]\s*["']?)[^\s"',;&}]+/gi,
    '$1$2[key]',
  ],
  [/\beyJ[A-Za-z0-9_-]{8,1000}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)?/g, '[key]'],
  [/\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}/g, '[key]'],
  [/\b(?:gh[pousr]|github_pat|glpat|xox[abeoprs]|npm|hf)[-_][A-Za-z0-9_-]{8,}/g, '[key]'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g, '[key]'],
  [/\bAIza[A-Za-z0-9_-]{20,}/g, '[key]'],
];

/**
 * Endings of the names of keys, tokens and passwords: `GITHUB_TOKEN` matches, `TOKEN_FILE`
 * and `KEYCLOAK_URL` do not.
 */
const secretName =
  /(?:(?:^|[_-]|api|access|private|secret|auth)key|token|secret|password|passwd|passphrase|credentials?|authorization|cookie)$/i;

/** Whether a name suggests that its value is a secret. */
export const isSecretName = (name: string): boolean => secretName.test(name);

/** Forms that are a key in any context: source code that only names a password has none. */
const keyShapes: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/,
  /\beyJ[A-Za-z0-9_-]{8,1000}\.eyJ[A-Za-z0-9_-]+\./,
  /\b(?:sk|rk)[-_][A-Za-z0-9_-]{20,}/,
  /\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|npm_|hf_)[A-Za-z0-9_-]{16,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
];

/** Whether a text contains what is a key by its form. Linear in its length. */
export const hasKey = (text: string): boolean => keyShapes.some((shape) => shape.test(text));

/** Masks everything in the text that looks like a key, a login or a cookie. Linear in its length. */
export function maskSecretShapes(text: string): string {
  return shapes.reduce((rest, [pattern, mask]) => rest.replace(pattern, mask), text);
}
