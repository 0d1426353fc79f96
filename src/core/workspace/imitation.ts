/**
 * How the host's own blocks of a system message begin (AGN-014 §6.2 and the blocks after it). Workspace text with such a
 * line could pass itself off as the host: another mode, another focus, another workflow.
 */
const hostLines = [
  /^current mode:/,
  /^available modes:/,
  /^mode switching:/,
  /^mode instructions:/,
  /^active work context$/,
  /^active workflow\b/,
  /^available workflows\b/,
  /^static context$/,
  /^<\/?(system|system_prompt|developer)>/,
  /^<\|im_(start|end)\|>/,
];

/** Without what the eye does not see and without marks of Markdown before the words. */
const plain = (line: string): string =>
  line
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Cc}]/gu, '')
    .replace(/^[\s#>*_`~-]+/, '')
    // Looked for where they begin only: from each place of a long run anew, a line of a megabyte would take minutes.
    .replace(/(?<![\s*_`~])[\s*_`~]+$/, '')
    .toLowerCase();

/** The number (from 1) of the first line that looks like the beginning of a block of the host; null when there is none. */
export function imitatingLine(text: string): number | null {
  const at = text.split(/\r\n|[\n\r\u2028\u2029\u0085\v\f]/).findIndex((line) => {
    const words = plain(line);
    return hostLines.some((pattern) => pattern.test(words));
  });
  return at === -1 ? null : at + 1;
}
