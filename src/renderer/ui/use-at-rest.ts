import { startTransition, useDeferredValue, useEffect, useState } from 'react';

/** Without a turn of the wheel for this long, a list is at rest. */
const restMs = 150;
let movedAt = -Infinity;
const isMoving = (): boolean => performance.now() - movedAt < restMs;

const noteMove = (): void => {
  movedAt = performance.now();
};

/** Notes when the user moves a list by wheel or finger; returns a function that stops it. */
export function watchMoves(list: HTMLElement): () => void {
  const moves = ['wheel', 'touchmove'] as const;
  for (const move of moves) list.addEventListener(move, noteMove, { passive: true });
  return () => moves.forEach((move) => list.removeEventListener(move, noteMove));
}

/**
 * False until the list is at rest, then true: a row that passes by fast mounts only what is read, so that no frame
 * is late. Other rows mount the remainder in slices, right after their first render.
 */
export function useAtRest(): boolean {
  const [atRest, setAtRest] = useState(() => !isMoving());
  useEffect(() => {
    if (atRest) return undefined;
    let timer = setTimeout(function look() {
      if (isMoving()) timer = setTimeout(look, restMs);
      else startTransition(() => setAtRest(true));
    }, restMs);
    return () => clearTimeout(timer);
  }, [atRest]);
  return useDeferredValue(atRest, false);
}
