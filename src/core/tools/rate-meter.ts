import type { Clock } from '../ports/clock';
import { patternNames } from './tool-pattern';

const minute = 60_000;

/** Counts the calls of the last minute by tool, across all runs of this process. */
export interface RateMeter {
  readonly count: (tool: string) => void;
  /** Milliseconds until one more call fits `perMinute` for the tools that a pattern names. */
  readonly waitMs: (pattern: string, perMinute: number) => number;
}

export function createRateMeter(clock: Clock): RateMeter {
  let calls: { readonly tool: string; readonly at: number }[] = [];
  const forget = (now: number): void => {
    if (calls[0] && calls[0].at <= now - minute) calls = calls.filter((call) => call.at > now - minute);
  };
  return {
    count: (tool) => {
      const now = clock.elapsed();
      forget(now);
      calls.push({ tool, at: now });
    },
    waitMs: (pattern, perMinute) => {
      const now = clock.elapsed();
      forget(now);
      const inWindow = calls.filter((call) => patternNames(pattern, call.tool));
      const blocking = inWindow[inWindow.length - perMinute];
      return blocking ? Math.max(1, blocking.at + minute - now) : 0;
    },
  };
}
