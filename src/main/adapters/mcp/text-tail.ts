/** Keeps the end of a stream of text, for a status line; terminal codes and other control characters are left out. */
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

/** Text from a server as one can show it: no escape sequences, no control or bidirectional-override characters. */
export function stripControls(text: string): string {
  const escape = String.fromCharCode(27);
  const sequences = new RegExp(
    `${escape}(\\[[0-?]*[ -/]*[@-~]|\\][^\\u0007${escape}]*(\\u0007|${escape}\\\\)?|.)?`,
    'g',
  );
  return text
    .replace(sequences, '')
    .replace(/(?![\n\t])[\p{Cc}\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu, '');
}
