import type { WorkflowDefinition } from '#shared/workflow';
import { foldedWords } from '../control-plane/fold';
import { conceptsOf } from './match-words';

/** How well a message fits a workflow, and why. */
export interface Fit {
  readonly workflowId: string;
  /** 0 to 1; 1: named. */
  readonly score: number;
  readonly explanation: string;
}

/** Finds the workflows a message may mean; the same message and workflows always give the same answer. */
export type Matcher = (message: string) => readonly Fit[];

/** Below this a message is about something else. */
const leastScore = 0.6;
/** More than this many candidates help nobody to choose. */
const mostFits = 5;
/** Words for other things of the host: a message with one of them is about that, unless the workflow is, too. */
const elsewhere = new Set(['mod', 'mode', 'setmode', 'setmod', 'focus']);
const starters = new Set('use start run begin launch execute do open trigger initiate'.split(' '));

interface Pattern {
  readonly owner: number;
  readonly text: string;
  readonly concepts: readonly string[];
  readonly weight: number;
}

interface Index {
  readonly definitions: readonly WorkflowDefinition[];
  readonly patterns: readonly Pattern[];
  readonly postings: ReadonlyMap<string, readonly number[]>;
  /** What each workflow speaks of anywhere in its patterns and title. */
  readonly vocabulary: readonly ReadonlySet<string>[];
  /** The workflows that speak of a concept. */
  readonly speaksOf: ReadonlyMap<string, readonly number[]>;
  readonly weightOf: (concept: string) => number;
  /** Folded names ("create ddr") by workflow. */
  readonly names: ReadonlyMap<string, readonly number[]>;
  readonly ids: ReadonlyMap<string, number>;
}

function add<K>(map: Map<K, number[]>, key: K, value: number): void {
  const held = map.get(key);
  if (held) held.push(value);
  else map.set(key, [value]);
}

function speakersOf(vocabulary: readonly ReadonlySet<string>[]): ReadonlyMap<string, readonly number[]> {
  const speakers = new Map<string, number[]>();
  vocabulary.forEach((words, owner) => {
    for (const word of words) add(speakers, word, owner);
  });
  return speakers;
}

/** A concept that many workflows speak of tells little about which one is meant. */
function weigh(speaksOf: ReadonlyMap<string, readonly number[]>): (concept: string) => number {
  const weights = new Map([...speaksOf].map(([word, { length }]) => [word, 1 / (1 + Math.log(length))]));
  return (concept) => weights.get(concept) ?? 1;
}

const sum = (concepts: readonly string[], weightOf: (concept: string) => number): number =>
  concepts.reduce((total, concept) => total + weightOf(concept), 0);

function buildIndex(definitions: readonly WorkflowDefinition[]): Index {
  const vocabulary = definitions.map(
    ({ Title, UserIntentPatterns }) => new Set(conceptsOf([Title, ...UserIntentPatterns].join(' '))),
  );
  const speaksOf = speakersOf(vocabulary);
  const weightOf = weigh(speaksOf);
  const patterns: Pattern[] = [];
  const postings = new Map<string, number[]>();
  const names = new Map<string, number[]>();
  const ids = new Map<string, number>();
  definitions.forEach(({ WorkflowId, Title, UserIntentPatterns, Visibility }, owner) => {
    ids.set(WorkflowId, owner);
    if (Visibility === 'hidden') return;
    for (const name of new Set([foldedWords(WorkflowId).join(' '), foldedWords(Title).join(' ')])) {
      add(names, name, owner);
    }
    for (const text of UserIntentPatterns) {
      const concepts = conceptsOf(text);
      if (concepts.length === 0) continue;
      for (const concept of concepts) add(postings, concept, patterns.length);
      patterns.push({ owner, text, concepts, weight: sum(concepts, weightOf) });
    }
  });
  return { definitions, patterns, postings, vocabulary, speaksOf, weightOf, names, ids };
}

/** Ids written out: `create_ddr` is a name wherever it stands; a plain word is one only where a workflow is asked for. */
function idsIn(index: Index, message: string): readonly number[] {
  const tokens =
    message
      .normalize('NFKC')
      .toLowerCase()
      .match(/[a-z0-9_]+/gu) ?? [];
  return [...new Set(tokens)].flatMap((token) => {
    const owner = token.includes('_') ? index.ids.get(token) : undefined;
    return owner === undefined ? [] : [owner];
  });
}

/** "Use workflow: create_ddr", "Start the code-refinement workflow." (TUL-006 §3.3). */
function namesIn(index: Index, message: string): readonly number[] {
  const words = foldedWords(message);
  const at = words.findIndex((word) => word === 'workflow');
  const verb = words.findIndex((word) => starters.has(word));
  if (at < 0 || verb < 0 || verb > at) return [];
  const article = (name: readonly string[]): string =>
    name.filter((word, i) => i > 0 || word !== 'the').join(' ');
  const between = article(words.slice(verb + 1, at));
  const after = words.slice(at + 1);
  const named = after.length > 0 && between === '' ? after.slice(0, 12) : [];
  const spoken = [between, ...named.map((_word, i) => named.slice(0, i + 1).join(' '))];
  return [...new Set(spoken.flatMap((name) => index.names.get(name) ?? []))];
}

interface Best {
  readonly score: number;
  readonly pattern: Pattern;
  readonly shared: readonly string[];
}

/** A message as patterns are held against it. */
interface Said {
  readonly concepts: readonly string[];
  readonly all: ReadonlySet<string>;
  /** How much of the message each workflow has anything to do with, 0 to 1. */
  readonly precision: Float64Array;
}

function readMessage({ speaksOf, definitions }: Index, message: string): Said {
  const concepts = conceptsOf(message);
  const precision = new Float64Array(definitions.length);
  for (const concept of concepts) {
    for (const owner of speaksOf.get(concept) ?? []) precision[owner] = (precision[owner] ?? 0) + 1;
  }
  return { concepts, all: new Set(concepts), precision: precision.map((count) => count / concepts.length) };
}

/** A pattern the message says little of, in a message that says much else, means nothing. */
const scoreFrom = (coverage: number, precision: number): number => coverage * (0.5 + 0.5 * precision);

/** How much of a pattern the message says, and how little else it says that the workflow has nothing to do with. */
function scoreOf({ weightOf, vocabulary }: Index, pattern: Pattern, said: Said): Best {
  const { owner, concepts, weight } = pattern;
  const shared = concepts.filter((concept) => said.all.has(concept));
  const about = vocabulary[owner];
  const meant = !said.concepts.some((concept) => elsewhere.has(concept) && !about?.has(concept));
  // One shared word of a longer pattern is a coincidence.
  const enough = meant && (shared.length > 1 || concepts.length === 1) ? 1 : 0;
  const score = scoreFrom(sum(shared, weightOf) / weight, said.precision[owner] ?? 0);
  return { score: enough * score, pattern, shared };
}

/** Patterns of which the message says enough for a score that counts: the others are never looked at one by one. */
function patternsCovered({ postings, patterns, weightOf }: Index, said: Said): readonly Pattern[] {
  const covered = new Float64Array(patterns.length);
  for (const concept of said.concepts) {
    const weight = weightOf(concept);
    for (const position of postings.get(concept) ?? []) covered[position] = (covered[position] ?? 0) + weight;
  }
  // A little less than the score that counts, as sums in another order differ in their last digits.
  const least = leastScore - 0.01;
  return patterns.filter(
    ({ weight, owner }, at) => scoreFrom((covered[at] ?? 0) / weight, said.precision[owner] ?? 0) >= least,
  );
}

function bestByOwner(index: Index, said: Said): ReadonlyMap<number, Best> {
  const best = new Map<number, Best>();
  for (const pattern of patternsCovered(index, said)) {
    const found = scoreOf(index, pattern, said);
    const held = best.get(pattern.owner);
    const better =
      !held || found.score > held.score || (found.score === held.score && pattern.text < held.pattern.text);
    if (better) best.set(pattern.owner, found);
  }
  return best;
}

const round = (score: number): number => Math.round(score * 1000) / 1000;

function patternFits(index: Index, message: string): readonly Fit[] {
  return [...bestByOwner(index, readMessage(index, message))].flatMap(
    ([owner, { score, pattern, shared }]) => {
      const workflowId = index.definitions[owner]?.WorkflowId;
      // Naming alone is certain.
      const held = Math.min(round(score), 0.99);
      if (workflowId === undefined || held < leastScore) return [];
      return [{ workflowId, score: held, explanation: `“${pattern.text}”: ${shared.join(', ')}` }];
    },
  );
}

const byScore = (a: Fit, b: Fit): number =>
  b.score - a.score || (a.workflowId < b.workflowId ? -1 : Number(a.workflowId > b.workflowId));

/** Builds the matcher over some workflows; hidden ones are found by their exact id only (TUL-006 §7.8). Pure. */
export function createMatcher(definitions: readonly WorkflowDefinition[]): Matcher {
  const index = buildIndex(definitions);
  return (message) => {
    if (foldedWords(message).join('').length < 2) return [];
    const named = [...new Set([...idsIn(index, message), ...namesIn(index, message)])].flatMap((owner) => {
      const workflowId = index.definitions[owner]?.WorkflowId;
      return workflowId === undefined ? [] : [{ workflowId, score: 1, explanation: 'The message names it.' }];
    });
    const others = patternFits(index, message).filter(
      ({ workflowId }) => !named.some((one) => one.workflowId === workflowId),
    );
    return [...named.sort(byScore), ...[...others].sort(byScore)].slice(0, mostFits);
  };
}
