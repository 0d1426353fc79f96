type Row = readonly number[];

/** The next row of the edit-distance table: insert, delete, replace, or swap of neighbours. */
function nextRow(a: string, b: string, row: number, { above, before }: { above: Row; before: Row }): Row {
  const line = [row];
  for (let column = 1; column <= b.length; column++) {
    const replaced = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
    const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
    const swap = swapped ? (before[column - 2] ?? Infinity) + 1 : Infinity;
    line.push(Math.min((above[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1, replaced, swap));
  }
  return line;
}

/** The edit distance between two names, or any number above `limit` when their lengths alone exceed it. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: Row = [];
  let above: Row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = nextRow(a, b, row, { above, before });
    before = above;
    above = line;
  }
  return above[b.length] ?? limit + 1;
}

const maxComparedLength = 128;

/** Up to three of `names` that `wanted` probably means, nearest first; ties in code-unit order. */
export function nearestNames(wanted: string, names: readonly string[]): readonly string[] {
  const target = wanted.slice(0, maxComparedLength).toLowerCase();
  const limit = Math.max(2, Math.floor(target.length / 4));
  return names
    .map((name) => ({
      name,
      distance: editDistance(target, name.slice(0, maxComparedLength).toLowerCase(), limit),
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
