/** A group of whole lines of code, without its last line break. */
export interface CodeChunk {
  readonly text: string;
  /** The number of its first line, from 1. */
  readonly line: number;
  /** More lines may still be added to this chunk. */
  readonly growing: boolean;
}

const softLines = 24;
const hardLines = 60;
const maxLength = 4_000;

/**
 * A good place to cut: a statement begins at the margin after an empty line, where most grammars can restart.
 */
function startsOver(previous: string, line: string): boolean {
  return previous.trim() === '' && /^[^\s})\]]/.test(line);
}

function isFull(lines: readonly string[], length: number, next: string): boolean {
  if (lines.length >= hardLines || length + next.length > maxLength) return lines.length > 0;
  return lines.length >= softLines && startsOver(lines.at(-1) ?? '', next);
}

/**
 * Splits code into chunks of lines. A chunk depends only on the lines before its end, so the chunks of a
 * growing text keep their content and only the last one renders again.
 */
export function chunkCode(code: string, growing: boolean): CodeChunk[] {
  const chunks: CodeChunk[] = [];
  let lines: string[] = [];
  let length = 0;
  let first = 1;
  for (const line of code.split('\n')) {
    if (isFull(lines, length, line)) {
      chunks.push({ text: lines.join('\n'), line: first, growing: false });
      first += lines.length;
      lines = [];
      length = 0;
    }
    lines.push(line);
    length += line.length + 1;
  }
  chunks.push({ text: lines.join('\n'), line: first, growing });
  return chunks;
}
