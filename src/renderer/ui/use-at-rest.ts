import { startTransition, useEffect, useState } from 'react';

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

/** The rows that are not complete yet, in the order in which they appeared. */
const waiting = new Set<() => void>();
let planned = false;

function plan(): void {
  if (planned || waiting.size === 0) return;
  planned = true;
  if (isMoving()) setTimeout(completeOne, restMs);
  else requestAnimationFrame(completeOne);
}

function completeOne(): void {
  planned = false;
  const [complete] = waiting;
  if (complete && !isMoving()) {
    waiting.delete(complete);
    startTransition(complete);
  }
  plan();
}

/**
 * False until the list is at rest and the rows before are complete, then true. A row that passes by fast mounts
 * only what is read, and of the others one per frame mounts the remainder, so that no frame is late.
 */
export function useAtRest(): boolean {
  const [complete, setComplete] = useState(false);
  useEffect(() => {
    if (complete) return undefined;
    const look = () => setComplete(true);
    waiting.add(look);
    plan();
    return () => void waiting.delete(look);
  }, [complete]);
  return complete;
}
