import type { Utterance, Word } from './utterance';
import { politeAfter, politeBefore } from './word-classes';

interface Phrase {
  readonly words: readonly string[];
  readonly request: boolean;
}

const split = (words: string, request: boolean): Phrase => ({ words: words.split(' '), request });
const before = politeBefore.map(({ words, request }) => split(words, request === true));
const after = politeAfter.map((words) => split(words, false));

function fits(words: readonly Word[], at: number, phrase: Phrase): boolean {
  return phrase.words.every((text, index) => {
    const word = words[at + index];
    if (word?.text !== text || word.isCode || word.opens || word.closes) return false;
    return index === phrase.words.length - 1 || !(word.comma || word.stop);
  });
}

/** A position where a command may begin, and whether a request ("could you") precedes it. */
export interface Start {
  readonly at: number;
  readonly request: boolean;
}

/**
 * All positions where a command may begin without the polite words before it; the first is the beginning of
 * the line.
 */
export function startsOf({ words }: Utterance): readonly Start[] {
  const starts: Start[] = [{ at: 0, request: false }];
  for (let index = 0; index < starts.length; index += 1) {
    const { at, request } = starts[index] ?? { at: 0, request: false };
    const further = before
      .filter((phrase) => at + phrase.words.length < words.length && fits(words, at, phrase))
      .map((phrase) => ({ at: at + phrase.words.length, request: request || phrase.request }));
    if (at > 0 && words[at]?.text === '' && at + 1 < words.length) further.push({ at: at + 1, request });
    for (const start of further) {
      if (!starts.some((known) => known.at === start.at && known.request === start.request))
        starts.push(start);
    }
  }
  return starts;
}

/**
 * All positions where a command may end without the polite words after it; the first is the end of the line.
 */
export function endsOf({ words }: Utterance): readonly number[] {
  const ends = [words.length];
  for (let index = 0; index < ends.length; index += 1) {
    const end = ends[index] ?? 0;
    for (const phrase of after) {
      const at = end - phrase.words.length;
      if (at > 0 && fits(words, at, phrase) && !ends.includes(at)) ends.push(at);
    }
  }
  return ends;
}
