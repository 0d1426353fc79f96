const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, index) =>
    character.charCodeAt(index).toString(16).padStart(4, '0'),
  )
    .map((hex) => `\\u${hex}`)
    .join('');

/**
 * Escapes line breaks, control characters and invisible characters of an untrusted text as JSON does, so that it
 * stays on one line and cannot change what a terminal or a reader sees.
 */
export const escapeControlCharacters = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, escaped);
