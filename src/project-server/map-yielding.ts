/** How long the server may run without reading its input: it notices a cancellation within this time. */
const SLICE_MS = 10;

/**
 * Runs work over the items in order and returns the results. Synchronous file calls cost a third of
 * asynchronous ones, and this process has nothing else to do, so it yields only between slices. An aborted
 * signal throws its reason.
 */
export async function mapYielding<T, R>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => R | Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let until = performance.now() + SLICE_MS;
  for (const item of items) {
    const result = work(item);
    results.push(result instanceof Promise ? await result : result);
    if (performance.now() < until) continue;
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    until = performance.now() + SLICE_MS;
  }
  return results;
}
