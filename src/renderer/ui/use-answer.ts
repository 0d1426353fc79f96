import type { Result } from '#shared/result';
import { useEffect, useState } from 'react';

/** An answer, asked for again when the question or `time` changes; nothing until it is there. */
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
