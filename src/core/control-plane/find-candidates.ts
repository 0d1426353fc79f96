import { compareCandidates, type Candidate } from './candidate';
import { matchForms, type Match } from './form-trie';
import { endsOf, startsOf } from './politeness';
import { isOneEdit } from './edit-distance';
import { createResolver, type Resolver } from './resolve';
import type { RouteContext } from './route-context';
import { isChoiceless, onlyItem } from './route-slash';
import { readSlot, type Slot } from './slot';
import type { Utterance } from './utterance';

/** All readings of a line, the best first. */
export interface Candidates {
  readonly candidates: readonly Candidate[];
  /** Whether a pattern would match if the line were not a question. */
  readonly questioned: boolean;
}

/** A match, and whether the line asks about it instead of requesting it. */
interface MatchReading {
  readonly match: Match;
  readonly isQuestion: boolean;
}

interface Fit {
  readonly match: Match;
  readonly slot: Slot | undefined;
}

/** All patterns that match the whole line, with and without the polite words around it. */
function matchesOf(utterance: Utterance, context: RouteContext): readonly MatchReading[] {
  const ends = endsOf(utterance);
  return startsOf(utterance).flatMap(({ at, request }) =>
    ends
      .flatMap((end) => matchForms(context.table.trie, utterance.words, at, end))
      .map((match) => ({ match, isQuestion: utterance.question && !request && !match.rule.question })),
  );
}

/** Keeps each (command, pattern, slot) once, and drops matches whose quotes do not wrap the whole slot. */
function fitsOf(utterance: Utterance, matches: readonly MatchReading[]): readonly Fit[] {
  const fits = new Map<string, Fit>();
  for (const { match } of matches.filter(({ isQuestion }) => !isQuestion)) {
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
  return { rule, slot, list: false, resolution: resolver.exactly(rule, slot) };
}

/**
 * Yields corrected lines: each replaces one slot word that the source does not know with a kind of item that
 * is one edit away.
 */
function* correctedLines({ words, ...line }: Utterance, { rule, slot }: Candidate, context: RouteContext) {
  const index = context.indexOf(rule.source);
  for (const [at, word] of words.entries()) {
    const inSlot = ` ${slot?.folded ?? ''} `.includes(` ${word.text} `);
    if (!index || !inSlot || index.knows(word.text)) continue;
    for (const kind of context.table.kinds) {
      if (kind.length < 4 || !isOneEdit(word.text, kind)) continue;
      yield { at, kind, line: { ...line, words: words.with(at, { ...word, text: kind }) } };
    }
  }
}

/**
 * The kind of item that a typo may stand for: the corrected line runs another command ("switch to DDR mdoe").
 */
function mistypedKind(
  utterance: Utterance,
  candidate: Candidate,
  context: RouteContext,
  resolver: Resolver,
): string | undefined {
  for (const { at, kind, line } of correctedLines(utterance, candidate, context)) {
    const others = fitsOf(line, matchesOf(line, context)).filter(
      ({ match: { rule, start, end } }) =>
        rule.command.commandId !== candidate.rule.command.commandId && (at < start || at >= end),
    );
    if (others.some((fit) => exactly(fit, context, resolver).resolution.strict)) return kind;
  }
  return undefined;
}

function roughly(
  utterance: Utterance,
  candidate: Candidate,
  context: RouteContext,
  resolver: Resolver,
): Candidate {
  const { rule, slot, resolution } = candidate;
  if (!slot || resolution.tier !== undefined) return candidate;
  const found = resolver.roughly(rule, slot);
  const kind = found.tier && mistypedKind(utterance, candidate, context, resolver);
  if (kind === undefined) return { ...candidate, resolution: found };
  const why = `“${slot.written}” may be a typo for “${kind}”, which belongs to another command.`;
  return { ...candidate, resolution: { strict: false, items: [], count: 0, why } };
}

/**
 * Finds the possible meanings of a line: exact names first, and the looser tiers only if no match is strict.
 */
export function findCandidates(utterance: Utterance, context: RouteContext): Candidates {
  const matches = matchesOf(utterance, context);
  const fits = fitsOf(utterance, matches);
  const resolver = createResolver(context);
  const first = fits.map((fit) => exactly(fit, context, resolver));
  const sure = first.some(({ resolution }) => resolution.strict);
  const candidates = sure
    ? first
    : first.map((candidate) => roughly(utterance, candidate, context, resolver));
  return {
    candidates: [...candidates].sort(compareCandidates),
    questioned: matches.some(({ isQuestion }) => isQuestion),
  };
}
