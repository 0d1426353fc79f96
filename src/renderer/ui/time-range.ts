/** A range of time, in milliseconds since the epoch. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** The position and width of a span within `range`, in percent and clamped to it. Pure. */
export function toPercentRange(
  range: TimeRange,
  from: number,
  to: number,
): { readonly insetInlineStart: string; readonly width: string } {
  const length = Math.max(1, range.to - range.from);
  const percent = (ms: number): number => Math.min(100, Math.max(0, (ms / length) * 100));
  const start = percent(from - range.from);
  return { insetInlineStart: `${start}%`, width: `${Math.min(100 - start, percent(to - from))}%` };
}
