import type { Result } from '#shared/result';
import { useEffect, useState } from 'react';

/** Loads an answer, and again when the question or `time` changes; null until it arrives. */
export function useAnswer<T>(ask: () => Promise<Result<T>>, time: unknown): Result<T> | null {
  const [answer, setAnswer] = useState<{ readonly ask: unknown; readonly value: Result<T> } | null>(null);
  useEffect(() => {
    let wanted = true;
    void ask().then((value) => {
      if (wanted) setAnswer({ ask, value });
    });
    return () => {
      wanted = false;
    };
  }, [ask, time]);
  return answer?.ask === ask ? answer.value : null;
}
