import { fold } from '../control-plane/fold';

/** Words that do not help to identify a workflow. */
const stopWords = new Set(
  (
    'a an the this that these those my our your its their his her me us you we i it they some any all everything of to for in on at by ' +
    'as is are be am was were been do does did can could would will shall should may might must have has had please pls kindly just ' +
    'now then so and or but also too very really lets let s d ll re ve m t want wanna need needed get like help hey hi hello ok okay ' +
    'thanks thank go find ahead here there with about into from up out over one yet'
  ).split(' '),
);

/** Phrases that count as one word, as `phrase: word`; matched before single words, longest first. */
const phrases = [
  'design decision record: ddr',
  'design record: ddr',
  'decision record: ddr',
  'design decision: decision',
  'decision tree: flowchart',
  'todo list: checklist',
  'new version: release',
  'release notes: changelog',
  'release note: changelog',
  'working tree: worktree',
  'working copy: worktree',
  'working directory: worktree',
  'put together: create',
  'draw up: create',
  'write up: create',
  'write down: create',
  'note down: create',
  'set up: create',
  'go over: review',
  'look over: review',
  'look at: review',
  'what do you think: review',
  'sanity check: review',
  'round up: collect',
  'sign off: approve',
  'good to: ready',
  'safe to: ready',
  'ok to: ready',
];

/** Verbs of many requests; what a request is about identifies a workflow better. */
export const commonVerbs: ReadonlySet<string> = new Set([
  'creat',
  'chang',
  'review',
  'run',
  'add',
  'turn',
  'show',
  'new',
]);

/** Each line lists synonyms; the first word represents all of them. */
const synonyms = [
  'create draft write author make compose compile produce generate prepare build capture document record',
  'new fresh',
  'ddr adr',
  'decision decide chose choose chosen pick',
  'specification spec',
  'contradiction contradict inconsistency inconsistent',
  'chapter section',
  'workflow procedure playbook',
  'review inspect check examine audit critique look assess feedback',
  'change diff modification modify edit tweak adjust alter delta uncommitted staged unstaged',
  'tree copy checkout directory folder',
  'refine improve revise revision polish rework rewrite tighten sharpen update amend',
  'approve accept finalize finalise ratify sign',
  'release version ship tag',
  'note',
  'git commit history log',
  'since between',
  'todo fixme task',
  'triage sort prioritise prioritize group assign classify collect gather list',
  'owner own assignee responsible',
  'diagnose diagnostic diagnostics selftest',
  'show display give tell',
  'run execute launch perform',
  'documentation doc',
  'bug mistake defect problem',
  'summarise summarize summary',
  'which what',
  'define describe specify declare set',
  'delete remove drop',
  'nothing not haven hasn isn aren wasn didn without',
];

/** Removes the ending of number or tense from a word; crude, but consistent for all forms of a word. */
function stem(word: string): string {
  const one = word.length > 3 ? word.replace(/(?<=..)ies$/u, 'y').replace(/(?<![sui])s$/u, '') : word;
  const now = one.replace(/(?<=...)ing$/u, '').replace(/(?<=...)ed$/u, '');
  const single = now.length > 4 ? now.replace(/([bdgklmnprt])\1$/u, '$1') : now;
  return single.length > 3 ? single.replace(/e$/u, '') : single;
}

const concepts: ReadonlyMap<string, string> = new Map(
  synonyms.flatMap((row) => {
    const words = row.split(' ').map(stem);
    return words.map((word) => [word, words[0] ?? word] as const);
  }),
);

/** Phrases by their first word; the longest matching phrase wins. */
const phraseTable = new Map<string, readonly (readonly [words: readonly string[], standsFor: string])[]>();
for (const row of phrases) {
  const [phrase = '', standsFor = ''] = row.split(': ');
  const words = phrase.split(' ');
  const [first = ''] = words;
  const entries = [...(phraseTable.get(first) ?? []), [words, standsFor] as const];
  phraseTable.set(
    first,
    entries.sort(([a], [b]) => b.length - a.length),
  );
}

/** A concept and the words of the text that express it. */
export interface ConceptMention {
  readonly concept: string;
  readonly words: string;
  /** The stem of the words: equal in two texts with the same wording. */
  readonly root: string;
  /** How many prepositions come before it: 0 for what is asked for, more for its circumstances. */
  readonly depth: number;
}

/** Maps a stem to its concept; `v2` counts as a version. */
export const conceptOf = (root: string): string =>
  /^v\d+$/u.test(root) ? stem('release') : (concepts.get(root) ?? root);

function phraseAt(words: readonly string[], at: number): readonly [readonly string[], string] | undefined {
  return phraseTable
    .get(words[at] ?? '')
    ?.find(([phrase]) => phrase.every((word, i) => words[at + i] === word));
}

/** Words after which a request names circumstances: “write a test for the release script”. */
const prepositions = new Set('about for of in from with since on at by into because that'.split(' '));
/** “I want to release” names no circumstances, “add a column to the table” does. */
const beforeInfinitive = new Set('want need like have going try'.split(' '));

const beginsCircumstances = (word: string, before: string | undefined): boolean =>
  prepositions.has(word) || (word === 'to' && !beforeInfinitive.has(before ?? ''));

/** The concepts of a text, each once, in order of first mention and without stop words. */
export function mentionsIn(text: string): readonly ConceptMention[] {
  const words = fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  const mentions = new Map<string, ConceptMention>();
  let depth = 0;
  const addMention = (text: string, root: string): void => {
    const concept = conceptOf(root);
    if (!mentions.has(concept)) mentions.set(concept, { concept, words: text, root, depth });
  };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const phrase = phraseAt(words, at);
    if (beginsCircumstances(word, words[at - 1])) depth += 1;
    if (phrase) {
      const [parts, standsFor] = phrase;
      addMention(parts.join(' '), stem(standsFor));
      at += parts.length - 1;
    } else if (!stopWords.has(word) && !/^\d+$/u.test(word)) addMention(word, stem(word));
  }
  return [...mentions.values()];
}
