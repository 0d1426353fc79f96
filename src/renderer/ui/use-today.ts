import { useSyncExternalStore } from 'react';

/** The day ends at midnight even in an idle window; a delay of up to one minute is acceptable. */
const checkIntervalMs = 60_000;

function subscribe(changed: () => void): () => void {
  const timer = setInterval(changed, checkIntervalMs);
  return () => clearInterval(timer);
}

/** The start of today, in milliseconds since the epoch. */
export function startOfToday(): number {
  return new Date().setHours(0, 0, 0, 0);
}

/** The start of today; the component renders again when the day ends. */
export function useToday(): number {
  return useSyncExternalStore(subscribe, startOfToday);
}
