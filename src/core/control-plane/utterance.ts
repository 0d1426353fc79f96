import { fold } from './fold';

/** One word of a line as the patterns see it. */
export interface Word {
  /**
   * Folded. A trailing colon stays, so that the word matches only where a pattern has one. Empty for a lone
   * punctuation mark.
   */
  readonly text: string;
  /** The index of the token that it came from. */
  readonly token: number;
  /**
   * Whether the word is code or a path: such a word never matches a pattern's word, and a slot that contains
   * one matches only an exact name.
   */
  readonly isCode: boolean;
  readonly comma: boolean;
  /** Whether the word ends a sentence before the end of the line; such a word is treated as code. */
  readonly stop: boolean;
  readonly opens: boolean;
  readonly closes: boolean;
}

/** A parsed line: its words, the tokens as written, and whether it ended in a question mark. */
export interface Utterance {
  readonly words: readonly Word[];
  readonly tokens: readonly string[];
  readonly question: boolean;
  readonly folded: string;
}

const codeCharacter = /[=<>{}()[\]/\\|*^~@$%:;`]/u;
const dotInside = /\p{L}\.\p{L}/u;
const endMark = /[.!?\u2026]["'\u00bb]?$/u;
const symbolsOnly = /^[\p{S}\p{M}\p{Cf}]+$/u;

function straight(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/gu, "'")
    .replace(/[\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u2033]/gu, '"');
}

/** Whether a token is code, a path or an address, not a word of speech. */
export function isCodeToken(token: string): boolean {
  const compatible = token.normalize('NFKC');
  return codeCharacter.test(compatible) || dotInside.test(compatible);
}

/** `name:` is a word of its own; a colon anywhere else makes the token code. */
function withoutColon(token: string): { readonly body: string; readonly colon: boolean } {
  const colon = /^[^:]+:$/u.test(token);
  return { body: colon ? token.slice(0, -1) : token, colon };
}

function wordsOf(written: string, token: number, anyOpen: boolean): readonly Word[] {
  const opens = /^["']/u.test(written);
  const bare = written.replace(/,$/u, '');
  const closes = /"$/u.test(bare) || (anyOpen && /'$/u.test(bare));
  const { body, colon } = withoutColon(bare);
  const stop = endMark.test(bare);
  const isCode = isCodeToken(body);
  const folded = fold(body);
  if (folded === '' && !isCode && !colon && symbolsOnly.test(body)) return [];
  const parts = folded.split(' ');
  return parts.map((text, index) => {
    const last = index === parts.length - 1;
    return {
      text: colon && last ? `${text}:` : text,
      token,
      isCode,
      comma: last && written.endsWith(','),
      stop: last && stop,
      opens: index === 0 && opens,
      closes: last && closes,
    };
  });
}

/** Parses one short line; the caller has rejected anything else. */
export function readUtterance(line: string): Utterance {
  const text = straight(line).trim();
  const marks = /[\s.!?\u2026\uff01\uff1f\u061f]+$/u.exec(text)?.[0] ?? '';
  const body = text.slice(0, text.length - marks.length);
  const tokens = body.split(/\s+/u).filter((token) => token !== '');
  const anyOpen = tokens.some((token) => token.startsWith("'"));
  const words = tokens.flatMap((token, index) => wordsOf(token, index, anyOpen));
  return {
    words,
    tokens,
    question: /[?\uff1f\u061f]/u.test(marks),
    folded: words
      .map((word) => word.text)
      .filter((word) => word !== '')
      .join(' '),
  };
}
