import { Tier, type RouteCandidate } from '#shared/route';
import { compareText } from './fold';
import type { MatchedRule } from './form-trie';
import type { Resolution } from './resolve';
import type { Slot } from './slot';

/** A rule that matched the line. Without a slot, it means a list or the only item of its source. */
export interface Candidate {
  readonly rule: MatchedRule;
  readonly slot?: Slot;
  readonly resolution: Resolution;
  /** The line asks for a list, so there is nothing to resolve. */
  readonly list: boolean;
}

type Criterion = readonly [of: (candidate: Candidate) => number, better: string];

const tierRank = ({ resolution: { tier } }: Candidate): number =>
  tier === undefined ? -1 : Tier.options.indexOf(tier);

/** The criteria that rank two readings of a line, most important first; the lower value wins. */
const criteria: readonly Criterion[] = [
  [({ resolution, list }) => (resolution.strict || list ? 0 : 1), 'Another reading is exact.'],
  [({ rule }) => (rule.named ? 0 : 1), 'Another reading says what kind of thing is meant.'],
  [tierRank, 'Another reading matches its item with more certainty.'],
  [({ rule }) => -rule.literals, 'Another reading explains more of the words.'],
  [({ slot }) => slot?.folded.length ?? 0, 'Another reading leaves fewer words to look up.'],
];

const identity = ({ rule, slot }: Candidate): string =>
  [rule.command.commandId, rule.pattern, slot?.folded ?? ''].join('\u0000');

/** Why the first candidate ranks below the second; undefined when they are equal. */
export function lossReason(loser: Candidate, winner: Candidate): string | undefined {
  return criteria.find(([of]) => of(loser) !== of(winner))?.[1];
}

/** Compares candidates, best first. The order is total, so it does not depend on the input order. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  for (const [of] of criteria) {
    const difference = of(a) - of(b);
    if (difference !== 0) return difference;
  }
  return compareText(identity(a), identity(b));
}

export const resolved = ({ resolution, list }: Candidate): boolean => list || resolution.tier !== undefined;

/** A candidate as the trace shows it. */
export function traced(candidate: Candidate, winners: readonly Candidate[]): RouteCandidate {
  const { rule, slot, resolution } = candidate;
  const [winner] = winners;
  const won = winners.includes(candidate);
  const outcome = won ? 'won' : resolved(candidate) ? 'lost' : 'unresolved';
  const behind = winner && outcome === 'lost' ? lossReason(candidate, winner) : undefined;
  return {
    commandId: rule.command.commandId,
    pattern: rule.pattern,
    source: rule.source,
    ...(slot ? { slot: slot.written } : {}),
    ...(resolution.tier ? { tier: resolution.tier } : {}),
    strict: resolution.strict,
    items: resolution.items.map(({ header }) => header),
    itemCount: resolution.count,
    outcome,
    why: outcome === 'lost' ? (behind ?? 'Another reading of the same command comes first.') : resolution.why,
  };
}
