import type { Json } from '#shared/json';
import type { Result } from '#shared/result';
import { changesTarget, takesPlaceOf, type WriteEffect } from './write-targets';

/** A write as the run recognises it: its call, and keys of what it changes (`targetsOf`). */
export interface WriteKey {
  readonly hash: string;
  readonly targets: readonly string[];
  /** Absent: no later write of the same step can take its place. */
  readonly effect?: WriteEffect;
}

/** A write of the run that changed something, or may have. */
export interface MadeWrite extends WriteKey {
  readonly nodeId: string;
}

/** A write with its place among the writes of the run. */
interface PlacedWrite extends WriteKey {
  readonly at: number;
}

/** A completed write; `at` is its place among the writes of the run. */
interface Done {
  readonly hash: string;
  readonly result: Json;
  readonly at: number;
}

/** Completed writes and approval answers of earlier attempts of a node. */
export interface PriorWrites {
  /** Completed writes with their results; the result is returned again instead of repeating the write. */
  readonly done: readonly Done[];
  /** Answers that no call has used yet. */
  readonly answers: readonly PriorAnswer[];
}

/** `said`: what the user wants instead of the refused call. */
interface PriorAnswer {
  readonly hash: string;
  /** The hash of the call alone, where the card also showed the content of a file. */
  readonly call?: string;
  readonly approved: boolean;
  readonly said?: string;
}

/** The writes that one attempt of a node can reuse; each entry serves one call. */
export interface NodeWrites {
  /**
   * The result of the same write, made earlier by this node or by a node that it replaces, unless another write
   * to the same target has taken its place since. `targets` is empty when no other write can.
   */
  readonly findCompleted: (write: WriteKey) => { readonly result: Json } | null;
  /** The unused answer to the same call, if there is one. */
  readonly findAnswer: (hash: string) => PriorAnswer | null;
  /** The unused refusal of a call, whatever content its card showed. */
  readonly findRefusal: (hash: string) => PriorAnswer | null;
  /** Whether the run already made this exact write and its outcome is unknown. */
  readonly isOutcomeUnknown: (hash: string) => boolean;
  /** Called just before a write is made; returns a function that records its outcome. */
  readonly started: (write: WriteKey) => (result: Result<Json>) => void;
  /** Called when a write of the node was refused. */
  readonly refused: () => void;
}

/** The nodes of a stage, each with those of them that end before it begins. */
export type NodesBefore = ReadonlyMap<string, ReadonlySet<string>>;

/** Writes of replaced nodes; the first of the `to` nodes that would repeat a write takes its result. */
export interface InheritedWrites {
  readonly done: PriorWrites['done'];
  readonly to: NodesBefore;
  /** The number of writes that the run had begun when the `to` nodes were planned. */
  readonly since: number;
}

/** The writes of a run by node, so that a retry, a resumed run or a new plan never repeats one. */
export interface RunWrites {
  readonly attempt: (nodeId: string) => NodeWrites;
  /** Whether the outcome of any write of the node is unknown, including a write that is still running. */
  readonly hasUnknownOutcome: (nodeId: string) => boolean;
  /** The number of writes that the node's latest attempt requested, and how many of them were refused. */
  readonly requested: (nodeId: string) => RequestedWrites;
  /**
   * Whether the node's latest attempt took a write as made although the step that made it replaced it by another
   * one, which the attempt did not repeat. Such a write no longer counts: the next attempt makes it again.
   */
  readonly discardOutdated: (nodeId: string) => boolean;
  /** The number of writes that these nodes have completed. */
  readonly count: (nodeIds: readonly string[]) => number;
  /** Transfers the writes of nodes to the nodes that replace them; the answers to their calls no longer count. */
  readonly transfer: (from: readonly string[], to: NodesBefore) => void;
}

export interface RequestedWrites {
  readonly all: number;
  readonly refused: number;
}

export interface RunWritesBefore {
  readonly writes: ReadonlyMap<string, PriorWrites>;
  readonly inherited: readonly InheritedWrites[];
  /** All writes of the run in order; null: one that changed nothing, or was undone. */
  readonly made?: readonly (MadeWrite | null)[];
}

function take<T>(left: T[], wanted: (one: T) => boolean): T | undefined {
  const at = left.findIndex(wanted);
  return at < 0 ? undefined : left.splice(at, 1)[0];
}

/** The nodes of a plan, each with those that end before it begins. Pure. */
export function nodesBefore(
  nodes: readonly { readonly id: string; readonly deps: readonly string[] }[],
): NodesBefore {
  const depsOf = new Map(nodes.map(({ id, deps }) => [id, deps]));
  const before = (id: string): ReadonlySet<string> => {
    const found = new Set<string>();
    const open = [...(depsOf.get(id) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(...(depsOf.get(next) ?? []));
    }
    return found;
  };
  return new Map(nodes.map(({ id }) => [id, before(id)]));
}

/** The writes of a run in order. A write that has not ended, or changed nothing, is null. */
function createWriteLog(before: readonly (MadeWrite | null)[]) {
  const log = [...before];
  return {
    begin: () => log.push(null) - 1,
    set: (at: number, write: MadeWrite) => void (log[at] = write),
    length: () => log.length,
    /** The last of the counted writes that changed one of the targets after a write. */
    lastAfter: (
      after: number,
      targets: readonly string[],
      counts: (write: MadeWrite, at: number) => boolean,
    ): (MadeWrite & { readonly at: number }) | null => {
      for (let at = log.length - 1; at > after; at -= 1) {
        const write = log[at];
        if (write && changesTarget(write.targets, targets) && counts(write, at)) return { ...write, at };
      }
      return null;
    },
    nodeOf: (at: number) => log[at]?.nodeId,
  };
}

const noneRequested: RequestedWrites = { all: 0, refused: 0 };

export function createRunWrites(
  { writes: prior, inherited: before, made = [] }: RunWritesBefore = { writes: new Map(), inherited: [] },
): RunWrites {
  const done = new Map([...prior].map(([nodeId, writes]) => [nodeId, [...writes.done]]));
  const answers = new Map([...prior].map(([nodeId, writes]) => [nodeId, [...writes.answers]]));
  const inherited = before.map(({ done: writes, ...rest }) => ({ left: [...writes], ...rest }));
  /** The places of the writes that a node of a later stage has taken as made. */
  const handed = new Set<number>();
  const log = createWriteLog(made);
  const begun = log.length();
  const open: { readonly nodeId: string; readonly hash: string; seen: boolean }[] = [];
  const isOutcomeUnknown = new Set<string>();
  const requested = new Map<string, RequestedWrites>();
  /** The writes that the latest attempt of a node has made or taken as made. */
  const calledBy = new Map<string, readonly PlacedWrite[]>();
  const count = (nodeId: string, refused: 0 | 1): void => {
    const before = requested.get(nodeId) ?? noneRequested;
    requested.set(nodeId, { all: before.all + 1, refused: before.refused + refused });
  };
  const doneBy = (nodeId: string): Done[] => {
    const all = done.get(nodeId) ?? [];
    done.set(nodeId, all);
    return all;
  };
  /** Whether a step made both writes: no later stage, which may use its id again, was planned in between. */
  const isSameStep = (at: number, newer: number): boolean =>
    log.nodeOf(at) === log.nodeOf(newer) && !inherited.some(({ since }) => at < since && since <= newer);
  /**
   * Whether another step replaced what a write left. A later write of the step that made it does not count: the
   * calls of that step are repeated together, in their order.
   */
  const isReplaced = (
    { at, hash }: Done,
    { targets }: WriteKey,
    counts: (write: MadeWrite, at: number) => boolean,
  ): boolean => {
    const last = log.lastAfter(at, targets, counts);
    return last !== null && last.hash !== hash && !isSameStep(at, last.at);
  };
  /** Whether the step that made a write replaced it later by one that is not among these calls. */
  const isOutdated = ({ at, hash, targets, effect }: PlacedWrite, calls: readonly PlacedWrite[]): boolean => {
    if (!effect) return false;
    const replaces = (write: WriteKey): boolean =>
      write.hash === hash || (write.effect !== undefined && takesPlaceOf(write.effect, effect));
    const last = log.lastAfter(at, targets, (write, newer) => isSameStep(at, newer) && replaces(write));
    if (!last || last.hash === hash) return false;
    return !calls.some((one) => one.at >= last.at && replaces(one) && changesTarget(one.targets, targets));
  };
  const takeInherited = (
    nodeId: string,
    write: WriteKey,
    stands: (one: Done) => boolean,
  ): Done | undefined => {
    for (const { left, to, since } of inherited) {
      const ended = to.get(nodeId);
      // Steps that may run at the same time have no order, so their writes do not count.
      const counts = (other: MadeWrite, at: number): boolean =>
        at < since || ended?.has(other.nodeId) === true;
      const mayTake = (one: Done): boolean =>
        !handed.has(one.at) && stands(one) && !isReplaced(one, write, counts);
      const found = ended && take(left, mayTake);
      if (!found) continue;
      handed.add(found.at);
      return found;
    }
    return undefined;
  };
  return {
    attempt: (nodeId) => {
      const all = doneBy(nodeId);
      const left = [...all];
      const called: PlacedWrite[] = [];
      calledBy.set(nodeId, called);
      requested.delete(nodeId);
      /** Whether this attempt has not made, or taken as made, another write to the same target after it. */
      const isInOrder = ({ at, hash }: Done, { targets }: WriteKey): boolean =>
        !called.some((one) => one.at > at && one.hash !== hash && changesTarget(one.targets, targets));
      return {
        findCompleted: (write) => {
          const stands = (one: Done): boolean => one.hash === write.hash && isInOrder(one, write);
          // What an earlier process recorded of this same step counts as made, whatever came after it.
          const own = take(left, (one) => stands(one) && !isReplaced(one, write, () => one.at >= begun));
          const other = own ? undefined : takeInherited(nodeId, write, stands);
          if (other) all.push(other);
          const made = own ?? other ?? null;
          if (made) {
            called.push({ ...write, at: made.at });
            count(nodeId, 0);
          }
          return made;
        },
        findAnswer: (hash) => take(answers.get(nodeId) ?? [], (one) => one.hash === hash) ?? null,
        findRefusal: (hash) =>
          take(answers.get(nodeId) ?? [], (one) => !one.approved && (one.call ?? one.hash) === hash) ?? null,
        isOutcomeUnknown: (hash) => isOutcomeUnknown.has(hash),
        started: (key) => {
          const { hash } = key;
          const at = log.begin();
          const write = { nodeId, hash, seen: false };
          open.push(write);
          count(nodeId, 0);
          return (result) => {
            write.seen = result.ok || result.error.outcome !== 'unknown';
            if (result.ok || !write.seen) {
              log.set(at, { ...key, nodeId });
              called.push({ ...key, at });
            }
            if (result.ok) all.push({ hash, result: result.value, at });
            if (!write.seen) isOutcomeUnknown.add(hash);
          };
        },
        refused: () => count(nodeId, 1),
      };
    },
    hasUnknownOutcome: (nodeId) => open.some((write) => write.nodeId === nodeId && !write.seen),
    requested: (nodeId) => requested.get(nodeId) ?? noneRequested,
    discardOutdated: (nodeId) => {
      const calls = calledBy.get(nodeId) ?? [];
      const outdated = calls.filter((one) => isOutdated(one, calls)).map(({ at }) => at);
      done.set(
        nodeId,
        doneBy(nodeId).filter(({ at }) => !outdated.includes(at)),
      );
      return outdated.length > 0;
    },
    count: (nodeIds) => nodeIds.reduce((sum, id) => sum + (done.get(id)?.length ?? 0), 0),
    transfer: (from, to) => {
      // What no node of an earlier stage has repeated stays for those of the new one.
      const left = [...inherited.flatMap((one) => one.left.splice(0)), ...from.flatMap(doneBy)];
      const byPlace = new Map(left.map((one) => [one.at, one]));
      inherited.push({ left: [...byPlace.values()], to, since: log.length() });
      for (const id of from) {
        done.delete(id);
        answers.delete(id);
        requested.delete(id);
      }
    },
  };
}
