/** Keeps the end of a text stream for a status line; drops terminal codes and other control characters. */
export function createTextTail(maxCharacters = 4_096): {
  add: (chunk: Uint8Array) => void;
  text: () => string;
} {
  let tail = '';
  const decoder = new TextDecoder();
  return {
    add: (chunk) => {
      tail = (tail + decoder.decode(chunk, { stream: true })).slice(-maxCharacters);
    },
    text: () => stripControls(tail).trim(),
  };
}

/**
 * A server's text, safe to display: no escape sequences and no control, invisible or direction-changing
 * characters.
 */
export function stripControls(text: string): string {
  const escape = String.fromCharCode(27);
  const sequences = new RegExp(
    `${escape}(\\[[0-?]*[ -/]*[@-~]|\\][^\\u0007${escape}]*(\\u0007|${escape}\\\\)?|.)?`,
    'g',
  );
  return text.replace(sequences, '').replace(/(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu, '');
}
