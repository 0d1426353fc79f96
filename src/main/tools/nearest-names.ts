/** Edits (insert, delete, replace, swap of neighbours) between two names, or anything above `limit` once it is passed. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (above[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      line.push(cost);
    }
    before = above;
    above = line;
  }
  return above[b.length] ?? limit + 1;
}

const longestCompared = 128;

/** At most three of `names` that `wanted` was probably meant to be, nearest first; ties in code-unit order. */
export function nearestNames(wanted: string, names: readonly string[]): readonly string[] {
  const asked = wanted.slice(0, longestCompared).toLowerCase();
  const limit = Math.max(2, Math.floor(asked.length / 4));
  return names
    .map((name) => ({
      name,
      distance: editDistance(asked, name.slice(0, longestCompared).toLowerCase(), limit),
    }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** “Did you mean …?”, or nothing when no name is near. */
export function didYouMean(wanted: string, names: readonly string[]): string | undefined {
  const near = nearestNames(wanted, names);
  return near.length === 0 ? undefined : `Did you mean ${near.join(', ')}?`;
}
