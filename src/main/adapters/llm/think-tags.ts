const open = '<think>';
const close = '</think>';
/** Text before the tag, in UTF-16 units, after which no tag is expected. */
const maxBefore = 100;

export interface Split {
  readonly text: string;
  readonly thinking: string;
}

/**
 * Splits the thinking that a server leaves in the text of a reply, `<think>…</think>` at its start, from the rest.
 * Holds back what may be part of a tag until the next piece, or until `isLast`.
 */
export function createThinkTags() {
  let place: 'before' | 'inside' | 'behind' | 'text' = 'before';
  let buffer = '';

  const begin = (isLast: boolean): void => {
    const start = buffer.trimStart();
    if (start.startsWith(open)) {
      place = 'inside';
      buffer = start.slice(open.length);
    } else if (isLast || buffer.length > maxBefore || !open.startsWith(start)) place = 'text';
  };
  const taken = (length: number): string => {
    const part = buffer.slice(0, length);
    buffer = buffer.slice(length);
    return part;
  };
  const think = (isLast: boolean): string => {
    const end = buffer.indexOf(close);
    if (end < 0) return taken(buffer.length - (isLast ? 0 : startedClose(buffer)));
    const thinking = taken(end);
    buffer = buffer.slice(close.length);
    place = 'behind';
    return thinking;
  };
  return (piece: string, isLast: boolean): Split => {
    buffer += piece;
    if (place === 'before') begin(isLast);
    const thinking = place === 'inside' ? think(isLast) : '';
    if (place === 'behind') {
      buffer = buffer.trimStart();
      if (buffer !== '') place = 'text';
    }
    return { thinking, text: place === 'text' ? taken(buffer.length) : '' };
  };
}

/** How many units at the end may be the start of the closing tag. */
function startedClose(text: string): number {
  for (let length = Math.min(close.length - 1, text.length); length > 0; length -= 1) {
    if (close.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
