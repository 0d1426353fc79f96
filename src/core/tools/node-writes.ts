import type { Json } from '#shared/json';
import type { Result } from '#shared/result';

/** A write an earlier attempt of a node made, or an answer it was given. */
export interface PriorWrites {
  /** Done, with what the tool said; given again instead of being made again. */
  readonly done: readonly { readonly hash: string; readonly result: Json }[];
  /** Answers that no call has used up. */
  readonly answers: readonly { readonly hash: string; readonly approved: boolean }[];
}

/** What one attempt of a node finds of its writes; each entry serves one call. */
export interface NodeWrites {
  /** What the same write said when it was made before, by this node or by one it took the place of. */
  readonly findCompleted: (hash: string) => { readonly result: Json } | null;
  /** The answer given to the same call before, if nothing used it. */
  readonly findAnswer: (hash: string) => boolean | null;
  /** Whether this very write was made in the run, and nobody saw how it ended. */
  readonly isOutcomeUnknown: (hash: string) => boolean;
  /** A write is about to be made; returns how to say how it ended. */
  readonly started: (hash: string) => (result: Result<Json>) => void;
  /** A write of the node was refused. */
  readonly refused: () => void;
}

/** Writes of nodes that are no more, each for the first of some others that would make it. */
export interface InheritedWrites {
  readonly done: PriorWrites['done'];
  readonly to: readonly string[];
}

/** The writes of a run by node, so that neither a retry, a resumption nor another plan makes one of them again. */
export interface RunWrites {
  readonly attempt: (nodeId: string) => NodeWrites;
  /** Whether it is unknown how a write of the node ended, as of one that is still under way. */
  readonly hasUnknownOutcome: (nodeId: string) => boolean;
  /** How many writes the node's newest attempt asked for, and how many of them were refused. */
  readonly requested: (nodeId: string) => RequestedWrites;
  /** How many writes some nodes have made. */
  readonly count: (nodeIds: readonly string[]) => number;
  /** What nodes wrote is from now on known to those that take their place. */
  readonly transfer: (from: readonly string[], to: readonly string[]) => void;
}

export interface RequestedWrites {
  readonly all: number;
  readonly refused: number;
}

export interface RunWritesBefore {
  readonly writes: ReadonlyMap<string, PriorWrites>;
  readonly inherited: readonly InheritedWrites[];
}

type Done = PriorWrites['done'][number];

function take<T extends { readonly hash: string }>(left: T[], hash: string): T | undefined {
  const at = left.findIndex((one) => one.hash === hash);
  return at < 0 ? undefined : left.splice(at, 1)[0];
}

const noneRequested: RequestedWrites = { all: 0, refused: 0 };

export function createRunWrites(
  { writes: prior, inherited: before }: RunWritesBefore = { writes: new Map(), inherited: [] },
): RunWrites {
  const done = new Map([...prior].map(([nodeId, writes]) => [nodeId, [...writes.done]]));
  const answers = new Map([...prior].map(([nodeId, writes]) => [nodeId, [...writes.answers]]));
  const inherited = before.map(({ done: writes, to }) => ({ left: [...writes], to }));
  const open: { readonly nodeId: string; readonly hash: string; seen: boolean }[] = [];
  const isOutcomeUnknown = new Set<string>();
  const requested = new Map<string, RequestedWrites>();
  const count = (nodeId: string, refused: 0 | 1): void => {
    const before = requested.get(nodeId) ?? noneRequested;
    requested.set(nodeId, { all: before.all + 1, refused: before.refused + refused });
  };
  const doneBy = (nodeId: string): Done[] => {
    const all = done.get(nodeId) ?? [];
    done.set(nodeId, all);
    return all;
  };
  const takeHanded = (nodeId: string, hash: string): Done | undefined => {
    for (const { left, to } of inherited) {
      const found = to.includes(nodeId) ? take(left, hash) : undefined;
      if (found) return found;
    }
    return undefined;
  };
  return {
    attempt: (nodeId) => {
      const all = doneBy(nodeId);
      const left = [...all];
      requested.delete(nodeId);
      return {
        findCompleted: (hash) => {
          const own = take(left, hash);
          const other = own ? undefined : takeHanded(nodeId, hash);
          if (other) all.push(other);
          const made = own ?? other ?? null;
          if (made) count(nodeId, 0);
          return made;
        },
        findAnswer: (hash) => take(answers.get(nodeId) ?? [], hash)?.approved ?? null,
        isOutcomeUnknown: (hash) => isOutcomeUnknown.has(hash),
        started: (hash) => {
          const write = { nodeId, hash, seen: false };
          open.push(write);
          count(nodeId, 0);
          return (result) => {
            write.seen = result.ok || result.error.outcome !== 'unknown';
            if (result.ok) all.push({ hash, result: result.value });
            if (!write.seen) isOutcomeUnknown.add(hash);
          };
        },
        refused: () => count(nodeId, 1),
      };
    },
    hasUnknownOutcome: (nodeId) => open.some((write) => write.nodeId === nodeId && !write.seen),
    requested: (nodeId) => requested.get(nodeId) ?? noneRequested,
    count: (nodeIds) => nodeIds.reduce((sum, id) => sum + (done.get(id)?.length ?? 0), 0),
    transfer: (from, to) => {
      inherited.push({ left: from.flatMap(doneBy), to });
      for (const id of from) {
        done.delete(id);
        requested.delete(id);
      }
    },
  };
}
