import { startTransition, useEffect, useState } from 'react';

/**
 * How many of `total` pieces to render now: the first `step` immediately, the rest one step per frame, so
 * that a long text never blocks the window. Pieces that arrive later, one at a time, render as they arrive.
 */
export function useGrowingCount(total: number, step: number): number {
  const [limit, setLimit] = useState(step);
  useEffect(() => {
    if (limit >= total) return undefined;
    const frame = requestAnimationFrame(() => startTransition(() => setLimit((known) => known + step)));
    return () => cancelAnimationFrame(frame);
  }, [limit, total, step]);
  return Math.min(limit, total);
}
