import type { Bridge, Push } from '#shared/ipc';

/**
 * Collects pushes and hands them over together, at most once per frame; their batches are acknowledged afterwards, so
 * main never sends faster than the window draws. Returns the way to stop.
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
