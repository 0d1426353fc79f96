import type { Clock } from '../../../core/ports/clock';

/** More than a worker that waits for its answers can send. */
export const MESSAGES_PER_SECOND = 20_000;

/** Counts a worker's messages before parsing; returns true when it exceeds the limit for one second. */
export function createMessageRate(clock: Clock): { exceeded(): boolean } {
  let began = clock.elapsed();
  let heard = 0;
  return {
    exceeded() {
      const now = clock.elapsed();
      if (now - began >= 1_000) {
        began = now;
        heard = 0;
      }
      heard += 1;
      return heard > MESSAGES_PER_SECOND;
    },
  };
}
