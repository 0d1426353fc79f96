import type { Bridge, Push } from '#shared/ipc';

/**
 * Collects pushes and delivers them together, at most once per frame, then acknowledges their batches, so
 * main never sends faster than the window renders. Returns the function that stops it.
 */
export function followPushes(
  bridge: Bridge,
  onFrame: (callback: () => void) => void,
  take: (pushes: readonly Push[]) => void,
): () => void {
  let queue: Push[] = [];
  let acknowledgements: (() => void)[] = [];
  const flush = () => {
    const pushes = queue;
    const taken = acknowledgements;
    queue = [];
    acknowledgements = [];
    take(pushes);
    for (const acknowledge of taken) acknowledge();
  };
  return bridge.onPush(({ pushes }) => {
    queue.push(...pushes);
    return new Promise<void>((resolve) => {
      acknowledgements.push(resolve);
      if (acknowledgements.length === 1) onFrame(flush);
    });
  });
}
