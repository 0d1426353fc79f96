/**
 * How much work a sampling test does. `npm test` checks a few cases; `PATINA_FULL_COUNTS=1` (`npm run soak`)
 * checks the promised number; `PATINA_FULL_COUNTS=every` checks every place, which takes hours.
 */
const asked = process.env['PATINA_FULL_COUNTS'] ?? '';

export const fullCounts = asked !== '';

/** `few` in a quick run, `many` in a full one. */
export const timesOf = (few: number, many: number): number => (fullCounts ? many : few);

/** Pages and frames of a database begin at multiples of these sizes. */
const grid = [4_096, 4_120];
const nearEdge = 32;
const stride = 97;

function worthALook(at: number): boolean {
  const headers = at < nearEdge * 4;
  const edge = grid.some((size) => at % size < nearEdge * 2 || size - (at % size) < nearEdge);
  return headers || edge || at % stride === 0;
}

/**
 * Places in a file of `end` bytes: `few` spread over it; in a full run, all those near page and frame edges
 * and many in between.
 */
export function placesIn(end: number, few: number): readonly number[] {
  if (!fullCounts) return Array.from({ length: few }, (_, index) => Math.floor((end * (index + 0.37)) / few));
  const all = Array.from({ length: end }, (_, at) => at);
  return asked === 'every' ? all : all.filter(worthALook);
}

/**
 * Picks `count` rows, the same ones for the same seed (`PATINA_SEED`, 1 when unset), so that another seed
 * picks other rows.
 */
export function seededSample<T>(rows: readonly T[], count: number): readonly T[] {
  let state = Number(process.env['PATINA_SEED'] ?? 1) >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return rows
    .map((row) => ({ row, at: next() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ row }) => row);
}
