import type { Json } from '#shared/json';
import type { Result } from '#shared/result';

/** Completed writes and approval answers of earlier attempts of a node. */
export interface PriorWrites {
  /** Completed writes with their results; the result is returned again instead of repeating the write. */
  readonly done: readonly { readonly hash: string; readonly result: Json }[];
  /** Answers that no call has used yet. */
  readonly answers: readonly PriorAnswer[];
}

/** `said`: what the user wants instead of the refused call. */
interface PriorAnswer {
  readonly hash: string;
  readonly approved: boolean;
  readonly said?: string;
}

/** The writes that one attempt of a node can reuse; each entry serves one call. */
export interface NodeWrites {
  /** The result of the same write, made earlier by this node or by a node that it replaces. */
  readonly findCompleted: (hash: string) => { readonly result: Json } | null;
  /** The unused answer to the same call, if there is one. */
  readonly findAnswer: (hash: string) => PriorAnswer | null;
  /** Whether the run already made this exact write and its outcome is unknown. */
  readonly isOutcomeUnknown: (hash: string) => boolean;
  /** Called just before a write is made; returns a function that records its outcome. */
  readonly started: (hash: string) => (result: Result<Json>) => void;
  /** Called when a write of the node was refused. */
  readonly refused: () => void;
}

/** Writes of replaced nodes; the first of the `to` nodes that would repeat a write takes its result. */
export interface InheritedWrites {
  readonly done: PriorWrites['done'];
  readonly to: readonly string[];
}

/** The writes of a run by node, so that a retry, a resumed run or a new plan never repeats one. */
export interface RunWrites {
  readonly attempt: (nodeId: string) => NodeWrites;
  /** Whether the outcome of any write of the node is unknown, including a write that is still running. */
  readonly hasUnknownOutcome: (nodeId: string) => boolean;
  /** The number of writes that the node's latest attempt requested, and how many of them were refused. */
  readonly requested: (nodeId: string) => RequestedWrites;
  /** The number of writes that these nodes have completed. */
  readonly count: (nodeIds: readonly string[]) => number;
  /** Transfers the writes of nodes to the nodes that replace them; the answers to their calls no longer count. */
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
        findAnswer: (hash) => take(answers.get(nodeId) ?? [], hash) ?? null,
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
        answers.delete(id);
        requested.delete(id);
      }
    },
  };
}
