import { useEffect, useRef, useState } from 'react';

export interface Latest<I, O> {
  readonly input: I;
  readonly output: O;
}

/**
 * Calls `ask` whenever the input changes, one call at a time: of the inputs that arrive meanwhile, only the
 * newest is used, so fast typing never queues up and no timer is needed. `null` calls nothing. Returns the
 * newest output with its input.
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
