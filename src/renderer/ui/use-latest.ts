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
  const unmounted = useRef(false);
  useEffect(() => {
    unmounted.current = false;
    return () => {
      unmounted.current = true;
    };
  }, []);
  useEffect(() => {
    wanted.current = input;
    async function run(): Promise<void> {
      if (busy.current) return;
      busy.current = true;
      while (wanted.current !== null && !unmounted.current) {
        const input = wanted.current;
        const output = await ask(input);
        if (wanted.current === input) wanted.current = null;
        if (!unmounted.current) setLatest({ input, output });
      }
      busy.current = false;
    }
    void run();
  }, [input, ask]);
  return latest;
}
