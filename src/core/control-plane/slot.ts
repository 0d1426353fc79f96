import type { SlotText } from './item-index';
import type { Utterance, Word } from './utterance';
import { prepositions, referringWords } from './word-classes';

/** The text in a pattern's slot, and how it may be matched. */
export interface Slot extends SlotText {
  readonly wordCount: number;
  readonly quoted: boolean;
  /** Whether it contains code or referring words, so that only an exact name matches. */
  readonly exactOnly: boolean;
  /** Whether a comma or "then" separates parts of it, as between two requests. */
  readonly severalParts: boolean;
}

const quotes = /^["']|["']$/gu;

/** Quotes must wrap the whole slot; otherwise they are broken. */
function quoting(words: readonly Word[]): 'none' | 'whole' | 'broken' {
  const opened = words.filter((word) => word.opens).length;
  const closed = words.filter((word) => word.closes).length;
  if (opened === 0 && closed === 0) return 'none';
  const whole = opened === 1 && closed === 1 && words[0]?.opens === true && words.at(-1)?.closes === true;
  return whole ? 'whole' : 'broken';
}

function writtenOf({ tokens, words: line }: Utterance, words: readonly Word[]): string {
  const first = words[0]?.token ?? 0;
  const last = words.at(-1)?.token ?? first;
  const partOf = (token: number): string => {
    const inside = words.filter((word) => word.token === token);
    const whole = line.filter((word) => word.token === token).length === inside.length;
    return whole ? (tokens[token] ?? '') : inside.map((word) => word.text).join(' ');
  };
  const parts = Array.from({ length: last - first + 1 }, (_, index) => partOf(first + index));
  return parts.join(' ').replace(/,$/u, '');
}

/** Reads the slot `[start, end)` of a line; undefined when its quotes do not wrap it as a whole. */
export function readSlot(utterance: Utterance, start: number, end: number): Slot | undefined {
  const words = utterance.words.slice(start, end);
  const quoted = quoting(words);
  if (quoted === 'broken') return undefined;
  const texts = words.map((word) => word.text.replace(/:$/u, '')).filter((text) => text !== '');
  const [head] = texts;
  if (head === undefined) return undefined;
  const written = writtenOf(utterance, words);
  return {
    written: quoted === 'whole' ? written.replace(quotes, '') : written,
    folded: texts.join(' '),
    wordCount: texts.length,
    quoted: quoted === 'whole',
    severalParts: words.slice(0, -1).some(({ comma }) => comma) || texts.includes('then'),
    exactOnly:
      words.some((word) => word.isCode || word.stop || word.text.endsWith(':')) ||
      prepositions.has(head) ||
      texts.some((text) => referringWords.has(text)),
  };
}

/** An explicit slot, after a slash name. */
export function explicitSlot(written: string, folded: string): Slot {
  return {
    written,
    folded,
    wordCount: folded.split(' ').length,
    quoted: true,
    exactOnly: false,
    severalParts: false,
  };
}
