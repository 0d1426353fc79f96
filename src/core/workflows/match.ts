import type { WorkflowDefinition } from '#shared/workflow';
import { foldedWords } from '../control-plane/fold';
import { mentionsIn, type ConceptMention } from './match-words';

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
const minScore = 0.6;

/** More than this many candidates help nobody to choose. */
const maxFits = 5;

/** Words for other things, of the host or of build servers: a message with one is about that, unless the workflow is, too. */
const offTopic = new Set('mod setmod focu focus ci github gitlab jenkin'.split(' '));

/** A line that begins with one of these wants to know something: only a pattern that begins like it is meant. */
const question = /^(?:why|where|when|how(?! many| about))\b/u;
const opening = (text: string): string => question.exec(foldedWords(text).join(' '))?.[0] ?? '';

interface Pattern {
  readonly owner: number;
  readonly text: string;
  readonly concepts: readonly string[];
  /** The words themselves, without their endings: of two patterns that fit alike, the one that is worded alike is nearer. */
  readonly roots: ReadonlySet<string>;
  /** The question word it begins with, else nothing. */
  readonly opening: string;
  readonly weight: number;
}

interface Index extends WorkflowNames {
  readonly definitions: readonly WorkflowDefinition[];
  readonly patterns: readonly Pattern[];
  readonly postings: ReadonlyMap<string, readonly number[]>;
  /** All concepts in the patterns and title of each workflow. */
  readonly vocabulary: readonly ReadonlySet<string>[];
  /** The workflows whose vocabulary has a concept. */
  readonly conceptOwners: ReadonlyMap<string, readonly number[]>;
  readonly weightOf: (concept: string) => number;
}

function add<K>(map: Map<K, number[]>, key: K, value: number): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function ownersByConcept(vocabulary: readonly ReadonlySet<string>[]): ReadonlyMap<string, readonly number[]> {
  const owners = new Map<string, number[]>();
  vocabulary.forEach((words, owner) => {
    for (const word of words) add(owners, word, owner);
  });
  return owners;
}

/** A concept of many workflows says little about which one is meant. */
function weigh(conceptOwners: ReadonlyMap<string, readonly number[]>): (concept: string) => number {
  const weights = new Map([...conceptOwners].map(([word, { length }]) => [word, 1 / (1 + Math.log(length))]));
  return (concept) => weights.get(concept) ?? 1;
}

const sum = (concepts: readonly string[], weightOf: (concept: string) => number): number =>
  concepts.reduce((total, concept) => total + weightOf(concept), 0);

function buildIndex(definitions: readonly WorkflowDefinition[]): Index {
  const read = definitions.map(({ UserIntentPatterns }) =>
    UserIntentPatterns.map((text) => ({ text, mentions: mentionsIn(text) })),
  );
  const vocabulary = definitions.map(({ Title }, owner) => {
    const mentions = [mentionsIn(Title), ...(read[owner] ?? []).map((pattern) => pattern.mentions)];
    return new Set(mentions.flat().map(({ concept }) => concept));
  });
  const conceptOwners = ownersByConcept(vocabulary);
  const weightOf = weigh(conceptOwners);
  const patterns: Pattern[] = [];
  const postings = new Map<string, number[]>();
  const names = new Map<string, number[]>();
  const ids = new Map<string, number>();
  definitions.forEach(({ WorkflowId, Title, Visibility }, owner) => {
    ids.set(WorkflowId, owner);
    if (Visibility === 'hidden') return;
    for (const name of new Set([foldedWords(WorkflowId).join(' '), foldedWords(Title).join(' ')])) {
      add(names, name, owner);
    }
    for (const { text, mentions } of read[owner] ?? []) {
      if (mentions.length === 0) continue;
      const concepts = mentions.map(({ concept }) => concept);
      for (const concept of concepts) add(postings, concept, patterns.length);
      const roots = new Set(mentions.map(({ root }) => root));
      patterns.push({
        owner,
        text,
        concepts,
        roots,
        opening: opening(text),
        weight: sum(concepts, weightOf),
      });
    }
  });
  return { definitions, patterns, postings, vocabulary, conceptOwners, weightOf, names, ids };
}

interface Best {
  readonly score: number;
  /** 0 to 1: how much pattern and message are worded alike. */
  readonly similarity: number;
  readonly pattern: Pattern;
}

/** A message, parsed for comparison with patterns. */
interface ParsedMessage {
  readonly opening: string;
  readonly mentions: readonly ConceptMention[];
  readonly concepts: readonly string[];
  readonly all: ReadonlySet<string>;
  /** How much of the message each workflow has anything to do with, 0 to 1. */
  readonly precision: Float64Array;
}

function readMessage({ conceptOwners, definitions }: Index, message: string): ParsedMessage {
  const mentions = mentionsIn(message);
  const concepts = mentions.map(({ concept }) => concept);
  const precision = new Float64Array(definitions.length);
  for (const concept of concepts) {
    for (const owner of conceptOwners.get(concept) ?? []) precision[owner] = (precision[owner] ?? 0) + 1;
  }
  const all = new Set(concepts);
  return {
    opening: opening(message),
    mentions,
    concepts,
    all,
    precision: precision.map((count) => count / concepts.length),
  };
}

/** A pattern the message says little of, in a message that says much else, means nothing. */
const scoreFrom = (coverage: number, precision: number): number => coverage * (0.5 + 0.5 * precision);

/** Twice what two texts have in common, of everything they say. */
function similarityOf({ roots }: Pattern, { mentions }: ParsedMessage): number {
  const common = mentions.filter(({ root }) => roots.has(root)).length;
  return (2 * common) / (roots.size + mentions.length);
}

/** How much of a pattern the message says, and how little else it says that the workflow has nothing to do with. */
function scoreOf({ weightOf, vocabulary }: Index, pattern: Pattern, said: ParsedMessage): Best {
  const { owner, concepts, weight } = pattern;
  const shared = concepts.filter((concept) => said.all.has(concept));
  const about = vocabulary[owner];
  const asked = said.opening === '' || said.opening === pattern.opening;
  const meant = asked && !said.concepts.some((concept) => offTopic.has(concept) && !about?.has(concept));
  const precision = said.precision[owner] ?? 0;
  // One shared word of a longer pattern is a coincidence; a pattern of one word is meant where little else is said.
  const enough = shared.length > 1 || (concepts.length === 1 && precision > 0.5);
  const score = meant && enough ? scoreFrom(sum(shared, weightOf) / weight, precision) : 0;
  return { score, pattern, similarity: similarityOf(pattern, said) };
}

/** Patterns of which the message says enough for a score that counts: the others are never looked at one by one. */
function patternsCovered({ postings, patterns, weightOf }: Index, said: ParsedMessage): readonly Pattern[] {
  const covered = new Float64Array(patterns.length);
  for (const concept of said.concepts) {
    const weight = weightOf(concept);
    for (const position of postings.get(concept) ?? []) covered[position] = (covered[position] ?? 0) + weight;
  }
  // A little less than the score that counts, as sums in another order differ in their last digits.
  const threshold = minScore - 0.01;
  return patterns.filter(
    ({ weight, owner }, at) =>
      scoreFrom((covered[at] ?? 0) / weight, said.precision[owner] ?? 0) >= threshold,
  );
}

/** Of patterns that fit alike the one worded like the message is nearest, then the one that stands first in the alphabet. */
function isNearer(one: Best, other: Best): boolean {
  if (one.score !== other.score) return one.score > other.score;
  if (one.similarity !== other.similarity) return one.similarity > other.similarity;
  return one.pattern.text < other.pattern.text;
}

/** What was said of a pattern, in the user's own words. */
function explain({ text, concepts }: Pattern, { mentions }: ParsedMessage): string {
  const said = mentions.filter(({ concept }) => concepts.includes(concept)).map(({ words }) => `“${words}”`);
  return `Like “${text}”: ${said.join(', ')}`;
}

function bestByOwner(index: Index, said: ParsedMessage): ReadonlyMap<number, Best> {
  const best = new Map<number, Best>();
  for (const pattern of patternsCovered(index, said)) {
    const found = scoreOf(index, pattern, said);
    const current = best.get(pattern.owner);
    if (!current || isNearer(found, current)) best.set(pattern.owner, found);
  }
  return best;
}

const round = (score: number): number => Math.round(score * 1000) / 1000;

function patternFits(index: Index, message: string): readonly Fit[] {
  const said = readMessage(index, message);
  return [...bestByOwner(index, said)].flatMap(([owner, { score, pattern }]) => {
    const workflowId = index.definitions[owner]?.WorkflowId;
    // Naming alone is certain.
    const rounded = Math.min(round(score), 0.99);
    if (workflowId === undefined || rounded < minScore) return [];
    return [{ workflowId, score: rounded, explanation: explain(pattern, said) }];
  });
}

const byScore = (a: Fit, b: Fit): number =>
  b.score - a.score || (a.workflowId < b.workflowId ? -1 : Number(a.workflowId > b.workflowId));

/** Builds the matcher over some workflows; hidden ones are found by their exact id only (TUL-006 §7.8). Pure. */
export function createMatcher(definitions: readonly WorkflowDefinition[]): Matcher {
  const index = buildIndex(definitions);
  return (message) => {
    if (foldedWords(message).join('').length < 2) return [];
    const named = namedIn(index, message).flatMap((owner) => {
      const workflowId = index.definitions[owner]?.WorkflowId;
      return workflowId === undefined ? [] : [{ workflowId, score: 1, explanation: 'The message names it.' }];
    });
    const others = patternFits(index, message).filter(
      ({ workflowId }) => !named.some((one) => one.workflowId === workflowId),
    );
    return [...named.sort(byScore), ...[...others].sort(byScore)].slice(0, maxFits);
  };
}
const starters = new Set('use start run begin launch execute do open trigger initiate'.split(' '));

/** What workflows are called, by position: folded names ("create ddr") and exact ids. */
interface WorkflowNames {
  readonly names: ReadonlyMap<string, readonly number[]>;
  readonly ids: ReadonlyMap<string, number>;
}

/** Ids written out: `create_ddr` is a name wherever it stands; a plain word is one only where a workflow is asked for. */
function idsIn(index: WorkflowNames, message: string): readonly number[] {
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
function namesIn(index: WorkflowNames, message: string): readonly number[] {
  const words = foldedWords(message);
  const at = words.findIndex((word) => word === 'workflow');
  const verb = words.findIndex((word) => starters.has(word));
  if (at < 0 || verb < 0 || verb > at) return [];
  const article = (name: readonly string[]): string =>
    name.filter((word, i) => i > 0 || word !== 'the').join(' ');
  const between = article(words.slice(verb + 1, at));
  const after = words.slice(at + 1);
  const named = after.length > 0 && between === '' ? after.slice(0, 12) : [];
  const mentions = [between, ...named.map((_word, i) => named.slice(0, i + 1).join(' '))];
  return [...new Set(mentions.flatMap((name) => index.names.get(name) ?? []))];
}

/** The workflows a message names, which beats every pattern (TUL-006 §3.3). */
const namedIn = (index: WorkflowNames, message: string): readonly number[] => [
  ...new Set([...idsIn(index, message), ...namesIn(index, message)]),
];
