import type { Json } from '#shared/json';

/** A write an earlier attempt of a node made, or an answer it was given. */
export interface PriorWrites {
  /** Done, with what the tool said; given again instead of being made again. */
  readonly done: readonly { readonly hash: string; readonly result: Json }[];
  /** Answers that no call has used up. */
  readonly answers: readonly { readonly hash: string; readonly approved: boolean }[];
}

/** What one attempt of a node finds of its writes; each entry serves one call. */
export interface NodeWrites {
  /** What the same write said when it was made before, in this run and node. */
  readonly madeBefore: (hash: string) => { readonly result: Json } | null;
  /** The answer given to the same call before, if nothing used it. */
  readonly answeredBefore: (hash: string) => boolean | null;
  readonly made: (hash: string, result: Json) => void;
}

/** The writes of a run by node, so that neither a retry nor a resumption makes one of them again. */
export interface RunWrites {
  readonly attempt: (nodeId: string) => NodeWrites;
}

function take<T extends { readonly hash: string }>(left: T[], hash: string): T | undefined {
  const at = left.findIndex((one) => one.hash === hash);
  return at < 0 ? undefined : left.splice(at, 1)[0];
}

export function createRunWrites(prior: ReadonlyMap<string, PriorWrites> = new Map()): RunWrites {
  const done = new Map([...prior].map(([nodeId, writes]) => [nodeId, [...writes.done]]));
  const answers = new Map([...prior].map(([nodeId, writes]) => [nodeId, [...writes.answers]]));
  return {
    attempt: (nodeId) => {
      const all = done.get(nodeId) ?? [];
      done.set(nodeId, all);
      const left = [...all];
      return {
        madeBefore: (hash) => take(left, hash) ?? null,
        answeredBefore: (hash) => take(answers.get(nodeId) ?? [], hash)?.approved ?? null,
        made: (hash, result) => void all.push({ hash, result }),
      };
    },
  };
}
