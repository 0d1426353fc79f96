import { useEffect, useRef, useState } from 'react';

export interface Latest<I, O> {
  readonly input: I;
  readonly output: O;
}

/**
 * Asks anew whenever the input changes, one request at a time: of what changes meanwhile only the newest is asked, so
 * fast typing never queues up and no clock is needed. `null` asks nothing. Gives the newest answer with what it is to.
 */
export function useLatest<I, O>(input: I | null, ask: (input: I) => Promise<O>): Latest<I, O> | null {
  const [latest, setLatest] = useState<Latest<I, O> | null>(null);
  const wanted = useRef<I | null>(null);
  const busy = useRef(false);
  const gone = useRef(false);
  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
    };
  }, []);
  useEffect(() => {
    wanted.current = input;
    async function run(): Promise<void> {
      if (busy.current) return;
      busy.current = true;
      while (wanted.current !== null && !gone.current) {
        const asked = wanted.current;
        const output = await ask(asked);
        if (wanted.current === asked) wanted.current = null;
        if (!gone.current) setLatest({ input: asked, output });
      }
      busy.current = false;
    }
    void run();
  }, [input, ask]);
  return latest;
}
