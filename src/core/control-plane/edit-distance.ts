/** The length of the common prefix of two words, at most `max`. */
function sharedHead(a: string, b: string, max: number): number {
  let head = 0;
  while (head < max && a[head] === b[head]) head += 1;
  return head;
}

function sharedTail(a: string, b: string, max: number): number {
  let tail = 0;
  while (tail < max && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return tail;
}

/** Whether two words differ by one inserted, deleted or replaced letter, or by two swapped neighbours. */
export function isOneEdit(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  const shorter = Math.min(a.length, b.length);
  const head = sharedHead(a, b, shorter);
  const tail = sharedTail(a, b, shorter - head);
  const [left, right] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}

/** All variants of a text with one pair of different neighbours swapped. */
export function transpositions(text: string): readonly string[] {
  return [...text.slice(0, -1)].flatMap((letter, at) =>
    letter === text[at + 1]
      ? []
      : [`${text.slice(0, at)}${text[at + 1] ?? ''}${letter}${text.slice(at + 2)}`],
  );
}
