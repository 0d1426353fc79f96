import type { WorkflowDefinition } from '#shared/workflow';
import { foldedWords } from '../control-plane/fold';
import { commonVerbs, conceptOf, mentionsIn, type ConceptMention } from './concept-mentions';

/** How well a message fits a workflow, and why. */
export interface Fit {
  readonly workflowId: string;
  /** 0 to 1; 1 means that the message names the workflow. */
  readonly score: number;
  readonly explanation: string;
}

/**
 * Finds the workflows that a message may mean. Deterministic: the same message and workflows give the same
 * result.
 */
export type Matcher = (message: string) => readonly Fit[];

/** The lowest score that counts; below it, the message is about something else. */
const minScore = 0.6;

/** Maximum candidates; more would not help anyone to choose. */
const maxFits = 5;

/**
 * Words for other topics, such as the host or build servers. A message that contains one matches only
 * workflows that contain it, too.
 */
const offTopic = new Set('mod setmod focu focus ci github gitlab jenkin'.split(' '));

/** A line with one of these openings is a question, so only a pattern with the same opening matches it. */
const question = /^(?:why|where|when|how(?! many| about)|what is an?)\b/u;
const opening = (text: string): string => question.exec(foldedWords(text).join(' '))?.[0] ?? '';

/** What the user says not to do; a question such as “why don't we …?” is a suggestion. */
const negation =
  /\b(?:do not|don['’]?t|never|rather not|(?:should|must) not|shouldn['’]?t|let['’]?s not|no need)\b(?! (?:we|you)\b).*/iu;

/** The text without what each of its clauses says not to do. */
const wanted = (text: string): string =>
  text
    .split(/[.;,!?\n]+/u)
    .map((clause) => clause.replace(negation, ''))
    .join(', ');

interface Pattern {
  readonly owner: number;
  readonly text: string;
  readonly concepts: readonly string[];
  /**
   * The stems of its words; of two patterns with the same score, the one with the more similar wording ranks
   * higher.
   */
  readonly roots: ReadonlySet<string>;
  /** The question word it begins with, or an empty string. */
  readonly opening: string;
  readonly weight: number;
}

/** What the title or a pattern of a workflow asks for. */
interface Intent {
  /** The stem of the verb that the text begins with. */
  readonly verb: string;
  /** What the verb is about, without its circumstances. */
  readonly objects: readonly string[];
}

/** What a workflow is for. */
interface Purpose {
  readonly intents: readonly Intent[];
  /** How many of its texts are about a concept; only concepts that no other workflow is about. */
  readonly own: ReadonlyMap<string, number>;
}

interface Index extends WorkflowNames {
  readonly definitions: readonly WorkflowDefinition[];
  readonly patterns: readonly Pattern[];
  readonly postings: ReadonlyMap<string, readonly number[]>;
  readonly purposes: readonly Purpose[];
  /** The workflow that alone is about a concept. */
  readonly purposeOf: ReadonlyMap<string, number>;
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

/** Weighs a concept: the more workflows share it, the less it helps to identify one. */
function weigh(conceptOwners: ReadonlyMap<string, readonly number[]>): (concept: string) => number {
  const weights = new Map([...conceptOwners].map(([word, { length }]) => [word, 1 / (1 + Math.log(length))]));
  return (concept) => weights.get(concept) ?? 1;
}

const sum = (concepts: readonly string[], weightOf: (concept: string) => number): number =>
  concepts.reduce((total, concept) => total + weightOf(concept), 0);

/** Concepts that any workflow may be about. */
const anyObject = new Set(['last', 'open', 'next']);
/** Concepts that begin a question, or an instruction that asks only to know something. */
const questionVerbs = new Set(['who', 'which', 'show', 'define', 'descri']);

function intentOf([first, ...rest]: readonly ConceptMention[]): Intent {
  const objects = rest.filter(
    ({ concept, depth }) => depth === 0 && !commonVerbs.has(concept) && !anyObject.has(concept),
  );
  return { verb: first?.root ?? '', objects: objects.map(({ concept }) => concept) };
}

function purposesOf(texts: readonly (readonly (readonly ConceptMention[])[])[]): readonly Purpose[] {
  const isAction = (mentions: readonly ConceptMention[]): boolean =>
    !questionVerbs.has(mentions[0]?.concept ?? '') && !mentions.some(({ concept }) => concept === 'workflow');
  const intents = texts.map((own) => own.filter(isAction).map(intentOf));
  const owners = ownersByConcept(intents.map((own) => new Set(own.flatMap(({ objects }) => objects))));
  return intents.map((own) => {
    const counts = new Map<string, number>();
    for (const concept of own.flatMap(({ objects }) => objects))
      if (owners.get(concept)?.length === 1) counts.set(concept, (counts.get(concept) ?? 0) + 1);
    return { intents: own, own: counts };
  });
}

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
  const purposes = purposesOf(
    definitions.map(({ Title }, owner) => [
      mentionsIn(Title),
      ...(read[owner] ?? []).filter(({ text }) => opening(text) === '').map(({ mentions }) => mentions),
    ]),
  );
  const purposeOf = new Map(
    purposes.flatMap(({ own }, owner) => [...own.keys()].map((concept) => [concept, owner] as const)),
  );
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
  return {
    definitions,
    patterns,
    postings,
    purposes,
    purposeOf,
    vocabulary,
    conceptOwners,
    weightOf,
    names,
    ids,
  };
}

interface Best {
  readonly score: number;
  /** 0 to 1: how similar the wording of pattern and message is. */
  readonly similarity: number;
  readonly pattern: Pattern;
}

/** A message, parsed for comparison with patterns. */
interface ParsedMessage {
  readonly opening: string;
  /** Whether it begins as a request does. */
  readonly asks: boolean;
  readonly mentions: readonly ConceptMention[];
  readonly concepts: readonly string[];
  readonly all: ReadonlySet<string>;
  /** The share of the message's concepts in each workflow's vocabulary, 0 to 1. */
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
    asks: asking.test(foldedWords(message).join(' ')),
    mentions,
    concepts,
    all,
    precision: precision.map((count) => count / concepts.length),
  };
}

/** Lowers the score of a pattern when the message covers little of it or mentions much else. */
const scoreFrom = (coverage: number, precision: number): number => coverage * (0.5 + 0.5 * precision);

/** Similarity of two texts: twice their common stems, divided by all their stems. */
function similarityOf({ roots }: Pattern, { mentions }: ParsedMessage): number {
  const common = mentions.filter(({ root }) => roots.has(root)).length;
  return (2 * common) / (roots.size + mentions.length);
}

/** Whether a message is not about another topic than a workflow. */
const mayMean = ({ vocabulary }: Index, owner: number, { concepts }: ParsedMessage): boolean =>
  !concepts.some((concept) => offTopic.has(concept) && !vocabulary[owner]?.has(concept));

/**
 * Scores a pattern by how much of it the message covers, and by how little the message says outside the
 * workflow's vocabulary.
 */
function scoreOf(index: Index, pattern: Pattern, parsed: ParsedMessage): Best {
  const { owner, concepts, weight } = pattern;
  const shared = concepts.filter((concept) => parsed.all.has(concept));
  const sameOpening = parsed.opening === '' || parsed.opening === pattern.opening;
  const meant = sameOpening && mayMean(index, owner, parsed);
  const precision = parsed.precision[owner] ?? 0;
  // One shared word of a longer pattern is a coincidence. A pattern of one word matches only if the message
  // says little else.
  const nouns = parsed.mentions.filter(
    ({ concept }) => shared.includes(concept) && !commonVerbs.has(concept),
  );
  // “Write a test for the release script” is about a test.
  const central = nouns.length !== 1 || nouns[0]?.depth === 0;
  const enough = (shared.length > 1 && central) || (concepts.length === 1 && precision > 0.5);
  const score = meant && enough ? scoreFrom(sum(shared, index.weightOf) / weight, precision) : 0;
  return { score, pattern, similarity: similarityOf(pattern, parsed) };
}

/** A line that begins so asks for something, whatever its verb. */
const asking =
  /^(?:(?:please|can you|could you|would you|hey|ok|now|kindly|just) )*(?:let s|help(?: me)?|(?:walk|guide|take) me through|(?:i|we) (?:want|need|d like|would like|have) to|(?:i|we) (?:want|need)|start|begin|do|make|run|new|an?)\b/u;

/** Words that say only that the user wants something done. */
const anyVerb = new Set('start begin run creat new walk guid take through process what which'.split(' '));

/** Whether two verbs are one; of verbs that many requests have, synonyms are one, too. */
const isVerb = (wanted: string, { root, concept }: ConceptMention): boolean =>
  root === wanted || (commonVerbs.has(concept) && conceptOf(wanted) === concept);

/** Whether a verb with these objects is one of a workflow's intents. */
function fitsIntent({ intents, own }: Purpose, verb: ConceptMention, requested: readonly string[]): boolean {
  // A verb of many requests needs an object that two texts of the workflow have.
  const minTexts = commonVerbs.has(verb.concept) ? 2 : 1;
  const known = requested.some((concept) => (own.get(concept) ?? 0) >= minTexts);
  return intents.some(({ verb: wanted, objects }) => {
    if (!isVerb(wanted, verb)) return false;
    const shared = requested.filter((concept) => objects.includes(concept) && own.has(concept)).length;
    return known || (shared > 0 && shared * 2 >= objects.length);
  });
}

/**
 * Whether a request names what a workflow is for: with the verb and an object of one of its texts, or after words
 * like “start” or “walk me through” with an object that two of its texts have.
 */
function asksFor(purpose: Purpose, { mentions, asks }: ParsedMessage): boolean {
  const requested = mentions.filter(({ depth }) => depth === 0);
  const [verb, ...objects] = requested;
  const concepts = objects.map(({ concept }) => concept);
  if (verb && fitsIntent(purpose, verb, concepts.slice(0, 3))) return true;
  const named = requested.map(({ concept }) => concept).filter((concept) => !anyVerb.has(concept));
  return asks && named.slice(0, 2).some((concept) => (purpose.own.get(concept) ?? 0) > 1);
}

/** Above the lowest score that counts, and below that of a pattern that fits. */
const intentScore = 0.65;

/** The pattern of a workflow with the most similar wording. */
function nearestOf({ patterns }: Index, owner: number, parsed: ParsedMessage): Pattern | undefined {
  const own = patterns.filter((pattern) => pattern.owner === owner);
  const nearness = (pattern: Pattern): number => similarityOf(pattern, parsed);
  return own.reduce<Pattern | undefined>(
    (nearest, pattern) => (nearest && nearness(nearest) >= nearness(pattern) ? nearest : pattern),
    undefined,
  );
}

/** Preselects the patterns that can reach the lowest score that counts; only these are scored one by one. */
function patternsCovered({ postings, patterns, weightOf }: Index, parsed: ParsedMessage): readonly Pattern[] {
  const covered = new Float64Array(patterns.length);
  for (const concept of parsed.concepts) {
    const weight = weightOf(concept);
    for (const position of postings.get(concept) ?? []) covered[position] = (covered[position] ?? 0) + weight;
  }
  // Slightly below the lowest score, because sums in another order differ in their last digits.
  const threshold = minScore - 0.01;
  return patterns.filter(
    ({ weight, owner }, at) =>
      scoreFrom((covered[at] ?? 0) / weight, parsed.precision[owner] ?? 0) >= threshold,
  );
}

/** Compares two matches: higher score first, then more similar wording, then alphabetical order. */
function isNearer(one: Best, other: Best): boolean {
  if (one.score !== other.score) return one.score > other.score;
  if (one.similarity !== other.similarity) return one.similarity > other.similarity;
  return one.pattern.text < other.pattern.text;
}

/** Explains a match with the user's own words. */
function explain({ text, concepts }: Pattern, { mentions }: ParsedMessage): string {
  const mentioned = mentions
    .filter(({ concept }) => concepts.includes(concept))
    .map(({ words }) => `“${words}”`);
  return `Like “${text}”: ${mentioned.join(', ')}`;
}

/** The workflows that a request names by what they are for. */
function matchedIntents(index: Index, parsed: ParsedMessage): ReadonlyMap<number, Best> {
  if (parsed.opening !== '') return new Map();
  const named = new Set(parsed.concepts.flatMap((concept) => index.purposeOf.get(concept) ?? []));
  const met = [...named].flatMap((owner): (readonly [number, Best])[] => {
    const [pattern, purpose] = [nearestOf(index, owner, parsed), index.purposes[owner]];
    if (!pattern || !purpose || !mayMean(index, owner, parsed) || !asksFor(purpose, parsed)) return [];
    return [[owner, { score: intentScore, similarity: similarityOf(pattern, parsed), pattern }]];
  });
  return new Map(met);
}

function bestByOwner(index: Index, parsed: ParsedMessage): ReadonlyMap<number, Best> {
  const best = new Map<number, Best>();
  for (const pattern of patternsCovered(index, parsed)) {
    const found = scoreOf(index, pattern, parsed);
    const current = best.get(pattern.owner);
    if (!current || isNearer(found, current)) best.set(pattern.owner, found);
  }
  for (const [owner, match] of matchedIntents(index, parsed))
    if ((best.get(owner)?.score ?? 0) < match.score) best.set(owner, match);
  return best;
}

const round = (score: number): number => Math.round(score * 1000) / 1000;

function patternFits(index: Index, message: string): readonly Fit[] {
  const parsed = readMessage(index, wanted(message));
  return [...bestByOwner(index, parsed)].flatMap(([owner, { score, pattern }]) => {
    const workflowId = index.definitions[owner]?.WorkflowId;
    // Only a name gives a score of 1.
    const rounded = Math.min(round(score), 0.99);
    if (workflowId === undefined || rounded < minScore) return [];
    return [{ workflowId, score: rounded, explanation: explain(pattern, parsed) }];
  });
}

const byScore = (a: Fit, b: Fit): number =>
  b.score - a.score || (a.workflowId < b.workflowId ? -1 : Number(a.workflowId > b.workflowId));

/** Builds the matcher for some workflows; hidden ones match only by their exact id (TUL-006 §7.8). Pure. */
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

/** Workflow positions by folded name ("create ddr") and by exact id. */
interface WorkflowNames {
  readonly names: ReadonlyMap<string, readonly number[]>;
  readonly ids: ReadonlyMap<string, number>;
}

/**
 * Finds ids in a message. An id with an underscore, like `create_ddr`, counts anywhere; a plain word counts
 * only where the message asks for a workflow.
 */
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

/**
 * Finds names in requests like "Use workflow: create_ddr" or "Start the code-refinement workflow." (TUL-006
 * §3.3).
 */
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

/** The workflows that a message names; a name takes precedence over every pattern (TUL-006 §3.3). */
const namedIn = (index: WorkflowNames, message: string): readonly number[] => [
  ...new Set([...idsIn(index, message), ...namesIn(index, message)]),
];
