import { compareText } from './fold';

/** Work that can be interrupted after each step and returns its result at the end. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Elements that are sorted in one go before merging begins. */
const run = 512;
/** Elements moved between two steps: under a millisecond of work. */
const stride = 2_048;

interface Merge {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly compare: (a: number, b: number) => number;
}

function* mergePass({ from, to, compare }: Merge, width: number): Steps<void> {
  let moved = 0;
  for (let low = 0; low < from.length; low += 2 * width) {
    const middle = Math.min(low + width, from.length);
    const high = Math.min(low + 2 * width, from.length);
    let left = low;
    let right = middle;
    for (let at = low; at < high; at += 1) {
      const takeLeft = right >= high || (left < middle && compare(from[left] ?? 0, from[right] ?? 0) <= 0);
      to[at] = from[takeLeft ? left++ : right++] ?? 0;
      if (++moved % stride === 0) yield;
    }
  }
}

/**
 * Sorts the positions of `keys` by text, then by `ties`. Runs in steps, so that a long list blocks nothing.
 */
export function* sortedOrder(keys: readonly string[], ties: readonly string[]): Steps<Uint32Array> {
  const compare = (a: number, b: number): number =>
    compareText(keys[a] ?? '', keys[b] ?? '') || compareText(ties[a] ?? '', ties[b] ?? '');
  let from = Uint32Array.from(keys, (_key, index) => index);
  for (let low = 0; low < from.length; low += run) {
    from.subarray(low, low + run).sort(compare);
    if (low % (2 * run) === 0) yield;
  }
  let to = new Uint32Array(from.length);
  for (let width = run; width < from.length; width *= 2) {
    yield* mergePass({ from, to, compare }, width);
    [from, to] = [to, from];
  }
  return from;
}
