import type { TaintSource } from '#shared/approval';

/** The sources of the data a node has read: its inputs, and each tool result since. */
export interface TaintTracker {
  readonly all: () => readonly TaintSource[];
  readonly add: (origin: TaintSource) => void;
}

/** Each source of each node once, in order of arrival. */
export function mergeTaintSources(...lists: readonly (readonly TaintSource[])[]): readonly TaintSource[] {
  const seen = new Map<string, TaintSource>();
  for (const origin of lists.flat()) {
    const key = `${origin.nodeId} ${origin.source}`;
    if (!seen.has(key)) seen.set(key, origin);
  }
  return [...seen.values()];
}

/** Never removes a source, because it is impossible to know how a script used a text. */
export function createTaintTracker(initial: readonly TaintSource[]): TaintTracker {
  let origins = mergeTaintSources(initial);
  return { all: () => origins, add: (origin) => void (origins = mergeTaintSources(origins, [origin])) };
}
