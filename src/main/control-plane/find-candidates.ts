import { compareCandidates, type Candidate } from './candidate';
import { matchForms, type Match } from './form-trie';
import { endsOf, startsOf } from './politeness';
import { createResolver, type Resolver } from './resolve';
import type { RouteContext } from './route-context';
import { isChoiceless, onlyItem } from './route-slash';
import { readSlot, type Slot } from './slot';
import type { Utterance } from './utterance';

/** Everything a line may mean, the best first. */
export interface Candidates {
  readonly candidates: readonly Candidate[];
  /** Whether a pattern would fit, were the line not a question. */
  readonly questioned: boolean;
}

/** A match, and whether the line asks about it instead of asking for it. */
interface Asked {
  readonly match: Match;
  readonly asked: boolean;
}

interface Fit {
  readonly match: Match;
  readonly slot: Slot | undefined;
}

/** Every pattern that fits the line as a whole, with and without the politeness around it. */
function matchesOf(utterance: Utterance, context: RouteContext): readonly Asked[] {
  const ends = endsOf(utterance);
  return startsOf(utterance).flatMap(({ at, request }) =>
    ends
      .flatMap((end) => matchForms(context.table.trie, utterance.words, at, end))
      .map((match) => ({ match, asked: utterance.question && !request && !match.rule.question })),
  );
}

/** Each (command, pattern, slot) once; nothing whose quotes cut its slot in two. */
function fitsOf(utterance: Utterance, matches: readonly Asked[]): readonly Fit[] {
  const fits = new Map<string, Fit>();
  for (const { match } of matches.filter(({ asked }) => !asked)) {
    const hasSlot = match.start < match.end;
    const slot = hasSlot ? readSlot(utterance, match.start, match.end) : undefined;
    if (hasSlot && !slot) continue;
    const { command, pattern, literals } = match.rule;
    const key = [command.commandId, pattern, slot?.written ?? '', literals].join('\u0000');
    if (!fits.has(key)) fits.set(key, { match, slot });
  }
  return [...fits.values()];
}

function withoutSlot({ match: { rule } }: Fit, context: RouteContext): Candidate {
  const resolution = { strict: false, items: [], count: 0, why: 'The line asks for a list.' };
  if (rule.command.commandKind === 'launcher') return { rule, resolution, list: true };
  if (isChoiceless(rule.command)) return { rule, resolution: onlyItem(rule, context), list: false };
  return { rule, resolution, list: true };
}

function exactly(fit: Fit, context: RouteContext, resolver: Resolver): Candidate {
  const { match, slot } = fit;
  if (!slot) return withoutSlot(fit, context);
  const { rule } = match;
  return { rule, slot, list: false, resolution: resolver.exactly(rule.source, slot, rule.reach) };
}

function roughly(candidate: Candidate, resolver: Resolver): Candidate {
  const { rule, slot, resolution } = candidate;
  if (!slot || resolution.tier !== undefined) return candidate;
  return { ...candidate, resolution: resolver.roughly(rule.source, slot, rule.reach) };
}

/** Finds what a line may mean: exact names first; only if none is strict, the looser tiers. */
export function findCandidates(utterance: Utterance, context: RouteContext): Candidates {
  const matches = matchesOf(utterance, context);
  const fits = fitsOf(utterance, matches);
  const resolver = createResolver(context);
  const first = fits.map((fit) => exactly(fit, context, resolver));
  const sure = first.some(({ resolution }) => resolution.strict);
  const candidates = sure ? first : first.map((candidate) => roughly(candidate, resolver));
  return {
    candidates: [...candidates].sort(compareCandidates),
    questioned: matches.some(({ asked }) => asked),
  };
}
