/**
 * A string, a comment, or any other character that is not white space; each match starts where the last one
 * ended.
 */
const PIECE = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|\S/g;

const isComment = (piece: string): boolean => piece.startsWith('//') || piece.startsWith('/*');

/**
 * Converts JSON with comments, as VS Code writes it, to JSON: replaces comments and trailing commas with
 * white space, so that offsets and lines are unchanged. Strings are unchanged. Linear in the length of the
 * text.
 */
export function withoutComments(text: string): string {
  const blanks: (readonly [start: number, end: number])[] = [];
  let comma: number | null = null;
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    if (isComment(piece)) {
      blanks.push([index, index + piece.length]);
      continue;
    }
    if (comma !== null && (piece === '}' || piece === ']')) blanks.push([comma, comma + 1]);
    comma = piece === ',' ? index : null;
  }
  const parts: string[] = [];
  let from = 0;
  for (const [start, end] of blanks.sort(([a], [b]) => a - b)) {
    parts.push(text.slice(from, start), text.slice(start, end).replace(/[^\n]/g, ' '));
    from = end;
  }
  return parts.join('') + text.slice(from);
}
