/** A row of numbers from 0 to 1 that a seed decides (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** `count` of the rows, chosen by a seed, in their own order. */
export function sampleOf<T>(rows: readonly T[], count: number, seed: number): readonly T[] {
  const next = numbersFrom(seed);
  const chosen = rows
    .map((row, at) => ({ row, at, weight: next() }))
    .sort((a, b) => a.weight - b.weight)
    .slice(0, count);
  return chosen.sort((a, b) => a.at - b.at).map(({ row }) => row);
}
