import { useEffect, useState } from 'react';

/**
 * The current time, updated at an interval while `active`; for clocks on the screen. Milliseconds since the
 * epoch.
 */
export function useNow(everyMs: number, active: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!active) return undefined;
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, active]);
  return now;
}
