import type { TaintSource } from '#shared/approval';

/** Where the data in a node's hands may come from: what it was given, and each result since. */
export interface TaintTracker {
  readonly all: () => readonly TaintSource[];
  readonly add: (origin: TaintSource) => void;
}

/** Each source of each node once, in the order they came. */
export function mergeTaintSources(...lists: readonly (readonly TaintSource[])[]): readonly TaintSource[] {
  const seen = new Map<string, TaintSource>();
  for (const origin of lists.flat()) {
    const key = `${origin.nodeId} ${origin.source}`;
    if (!seen.has(key)) seen.set(key, origin);
  }
  return [...seen.values()];
}

/** Conservative: nothing is taken off it again, as nobody can tell what a script did with a text. */
export function createTaintTracker(initial: readonly TaintSource[]): TaintTracker {
  let origins = mergeTaintSources(initial);
  return { all: () => origins, add: (origin) => void (origins = mergeTaintSources(origins, [origin])) };
}
