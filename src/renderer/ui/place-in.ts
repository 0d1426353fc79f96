/** A stretch of time; milliseconds since the epoch. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Where a stretch of time is drawn in a whole one, both ends kept inside. Pure. */
export function placeIn(
  whole: Stretch,
  from: number,
  to: number,
): { readonly left: string; readonly width: string } {
  const length = Math.max(1, whole.to - whole.from);
  const percent = (ms: number): number => Math.min(100, Math.max(0, (ms / length) * 100));
  const left = percent(from - whole.from);
  return { left: `${left}%`, width: `${Math.min(100 - left, percent(to - from))}%` };
}
