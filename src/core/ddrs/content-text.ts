/** What of the front matter is content; the rest keeps account of who approved what, and when. */
const contentKeys: readonly string[] = ['title', 'summary', 'aliases'];

/** What a document says, and the line of its file each line of that stands in, from 1. */
export interface ContentText {
  readonly text: string;
  readonly lineAt: (line: number) => number;
}

/** Keeps a line of the front matter when the key it belongs to is content. */
function keptLines(lines: readonly string[], end: number): readonly number[] {
  const kept: number[] = [];
  let within = false;
  for (let at = 1; at < end; at += 1) {
    const key = /^([A-Za-z][\w-]*):/.exec(lines[at] ?? '')?.[1];
    if (key !== undefined) within = contentKeys.includes(key);
    if (within) kept.push(at);
  }
  return kept;
}

/** A document without its book-keeping, line ends put aside: what is compared when one asks what has changed. */
export function contentText(stored: string): ContentText {
  const lines = stored.replaceAll('\r\n', '\n').split('\n');
  const closing = lines[0] === '---' ? lines.indexOf('---', 1) : -1;
  const body = Array.from({ length: lines.length - closing - 1 }, (_, index) => closing + 1 + index);
  const kept = [...(closing === -1 ? [] : keptLines(lines, closing)), ...body];
  return {
    text: kept.map((at) => lines[at] ?? '').join('\n'),
    lineAt: (line) => (kept[line - 1] ?? lines.length) + 1,
  };
}
