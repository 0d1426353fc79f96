import { fold } from '../control-plane/fold';

/** Words that say nothing about which workflow is meant. */
const idle = new Set(
  (
    'a an the this that these those my our your its their his her me us you we i it they some any all of to for in on at by as is ' +
    'are be am was were been do does did can could would will shall should may might must have has had please pls kindly just ' +
    'now then so and or but also too very really lets let s d ll re ve m t want wanna need needed like help hey hi hello ok okay ' +
    'thanks thank go ahead here there with about into from up out over one'
  ).split(' '),
);

/** Each line: words taken for the same thing, the first of them standing for all. */
const synonyms = [
  'create draft write author make compose produce generate prepare build capture',
  'new fresh',
  'ddr decision design record adr',
  'workflow procedure playbook',
  'review inspect check examine audit critique look assess feedback',
  'change diff modification edit delta uncommitted unstaged',
  'tree copy checkout directory folder',
  'refine improve revise revision polish rework tighten sharpen update amend',
  'approve accept finalize finalise ratify sign',
  'release changelog version',
  'note summary',
  'git commit history log',
  'todo fixme task',
  'triage sort prioritise prioritize group assign classify collect gather list',
  'owner assignee responsible',
  'diagnose diagnostic diagnostics selftest',
  'show display give tell',
  'run execute launch perform',
  'document documentation doc',
  'bug mistake defect problem',
  'summarise summarize',
  'define describe specify declare set',
  'delete remove drop',
];

/** A word without the ending of its number or tense; crude, and the same for every form of a word. */
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

/** The words of a text as it is compared: folded, in the order they stand. */
function plainWords(text: string): readonly string[] {
  return fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** What a text is about: its words without the idle ones, each as the concept it stands for, once. */
export function conceptsOf(text: string): readonly string[] {
  // Each word once before it is stemmed: what is pasted repeats itself.
  const said = [...new Set(plainWords(text))].filter((word) => !idle.has(word));
  return [...new Set(said.map((word) => concepts.get(stem(word)) ?? stem(word)))];
}
