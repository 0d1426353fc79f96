import { useSyncExternalStore } from 'react';

/** A day is over at midnight even in a window nobody touches; a minute late is soon enough. */
const checkIntervalMs = 60_000;

function subscribe(changed: () => void): () => void {
  const timer = setInterval(changed, checkIntervalMs);
  return () => clearInterval(timer);
}

/** The moment today began, in milliseconds since the epoch. */
export function startOfToday(): number {
  return new Date().setHours(0, 0, 0, 0);
}

/** The moment today began; the component is drawn again when the day ends. */
export function useToday(): number {
  return useSyncExternalStore(subscribe, startOfToday);
}
