import { err, ok, type Result } from '#shared/result';

/** One replacement of the server's `edit_file`. */
export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
}

export const withUnixLineEnds = (text: string): string => text.replaceAll('\r\n', '\n');

const indentOf = (line: string): string => line.slice(0, line.length - line.trimStart().length);

/** The first place where the lines occur, ignoring the space around each; -1: nowhere. */
function placeOf(wanted: readonly string[], lines: readonly string[]): number {
  const trimmed = wanted.map((line) => line.trim());
  for (let start = 0; start + wanted.length <= lines.length; start += 1) {
    if (trimmed.every((line, at) => lines[start + at]?.trim() === line)) return start;
  }
  return -1;
}

/** New lines with the indentation of the place; further lines keep theirs relative to the old line beside them. */
function indented(added: readonly string[], old: readonly string[], base: string): readonly string[] {
  return added.map((line, at) => {
    if (at === 0) return base + line.trimStart();
    const before = indentOf(old[at] ?? '');
    const now = indentOf(line);
    if (before === '' || now === '') return line;
    return base + ' '.repeat(Math.max(0, now.length - before.length)) + line.trimStart();
  });
}

/** One edit; null when its text does not occur. */
function applied(text: string, edit: TextEdit): string | null {
  const [before, after] = [withUnixLineEnds(edit.oldText), withUnixLineEnds(edit.newText)];
  const at = text.indexOf(before);
  if (at >= 0) return text.slice(0, at) + after + text.slice(at + before.length);
  const lines = text.split('\n');
  const old = before.split('\n');
  const place = placeOf(old, lines);
  if (place < 0) return null;
  const base = indentOf(lines[place] ?? '');
  lines.splice(place, old.length, ...indented(after.split('\n'), old, base));
  return lines.join('\n');
}

/**
 * The text that the bundled server's `edit_file` would write: the edits in order, each at the first exact
 * place or else at the first one that differs only in indentation. The error is the text that does not occur.
 * Pure.
 */
export function editedText(content: string, edits: readonly TextEdit[]): Result<string, string> {
  let text = withUnixLineEnds(content);
  for (const edit of edits) {
    const next = applied(text, edit);
    if (next === null) return err(edit.oldText);
    text = next;
  }
  return ok(text);
}
