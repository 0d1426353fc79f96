import { startTransition, useEffect, useState } from 'react';

/**
 * How many of `total` pieces to draw now: the first `step` at once, the rest a step a frame, so that a long text never
 * holds the window up. Pieces that arrive later, one at a time, are drawn as they come.
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
