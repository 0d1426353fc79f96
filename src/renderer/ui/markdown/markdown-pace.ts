import { useEffect, useRef, useState } from 'react';

/** Milliseconds between two pictures of a growing text: smooth to read, and every other frame is left to the keys. */
const rhythm = 32;

/** Milliseconds between two readings of a growing text whose unsettled tail is this long. */
export function paceOf(tailLength: number): number {
  return Math.max(rhythm, Math.min(250, Math.round(tailLength / 300)));
}

/** The text to draw: the newest, or while it streams at `pace` milliseconds, the newest of that rhythm. */
export function usePacedText(text: string, streaming: boolean, pace: number): string {
  const free = !streaming;
  const [shown, setShown] = useState(text);
  const latest = useRef(text);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  if (free && shown !== text) setShown(text);
  useEffect(() => {
    latest.current = text;
    if (free || shown === text || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      setShown(latest.current);
    }, pace);
  }, [free, shown, text, pace]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return free ? text : shown;
}
