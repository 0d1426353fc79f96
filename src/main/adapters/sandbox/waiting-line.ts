import { err } from '#shared/result';
import type { Result } from '#shared/result';
import { abortError } from './abort-error';

/** First come, first served; whoever gives up (aborts) leaves the line with the error of the abort. */
export interface WaitingLine<T> {
  join(signal: AbortSignal): Promise<Result<T>>;
  /** Gives to the first in line; false when there is nobody. */
  serve(given: Result<T>): boolean;
  length(): number;
}

export function createWaitingLine<T>(): WaitingLine<T> {
  const line = new Set<(given: Result<T>) => void>();
  return {
    join(signal) {
      if (signal.aborted) return Promise.resolve(err(abortError(signal)));
      return new Promise((resolve) => {
        const leave = (given: Result<T>): void => {
          line.delete(leave);
          signal.removeEventListener('abort', onAbort);
          resolve(given);
        };
        const onAbort = (): void => leave(err(abortError(signal)));
        signal.addEventListener('abort', onAbort, { once: true });
        line.add(leave);
      });
    },
    serve(given) {
      const [first] = line;
      first?.(given);
      return first !== undefined;
    },
    length: () => line.size,
  };
}
