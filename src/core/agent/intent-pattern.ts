/** An element of a pattern: a literal word, a slot, or alternatives (an option may be empty). */
export type Piece =
  | { readonly type: 'word'; readonly word: string }
  | { readonly type: 'slot'; readonly name: string }
  | { readonly type: 'choice'; readonly options: readonly (readonly Piece[])[] };

/**
 * Parses `words [optional] (a|b) {param}`; throws on a malformed pattern, which is a defect of the row and is
 * found at startup.
 */
export function parsePattern(pattern: string): readonly Piece[] {
  const tokens = pattern.match(/[[\]()|]|\{[^}]*\}|[^\s[\]()|{}]+/g) ?? [];
  let at = 0;
  const sequence = (closing: string | null): Piece[][] => {
    const options: Piece[][] = [[]];
    for (; at < tokens.length; at++) {
      const token = tokens[at] ?? '';
      if (token === closing) return options;
      if (token === '|') options.push([]);
      else options.at(-1)?.push(piece(token));
    }
    if (closing !== null) throw new Error(`"${closing}" is missing`);
    return options;
  };
  const piece = (token: string): Piece => {
    if (token === '[' || token === '(') {
      at += 1;
      const options = sequence(token === '[' ? ']' : ')');
      return { type: 'choice', options: token === '[' ? [...options, []] : options };
    }
    if (token.startsWith('{')) return { type: 'slot', name: token.slice(1, -1) };
    if (token === ']' || token === ')') throw new Error(`"${token}" has no matching opening bracket`);
    return { type: 'word', word: token.toLowerCase() };
  };
  const [first = [], ...others] = sequence(null);
  if (others.length > 0) throw new Error('"|" is outside parentheses');
  if (!hasWord(first)) throw new Error('it has no required word');
  return first;
}

const hasWord = (pieces: readonly Piece[]): boolean =>
  pieces.some((piece) => piece.type === 'word' || (piece.type === 'choice' && piece.options.every(hasWord)));

/** The names of a pattern's slots. */
export function slotNames(pieces: readonly Piece[]): readonly string[] {
  return pieces.flatMap((piece) => {
    if (piece.type === 'slot') return [piece.name];
    return piece.type === 'choice' ? piece.options.flatMap(slotNames) : [];
  });
}

const politeStart =
  /^(?:(?:please|hey|hi|hello|ok|okay|so|now|patina)[,!]?\s+|(?:can|could|would|will)\s+you\s+(?:please\s+)?|(?:i\s+want\s+(?:you\s+)?to|i(?:'|\u2019)?d\s+like\s+(?:you\s+)?to|let(?:'|\u2019)?s|go\s+ahead\s+and)\s+)/i;
const politeEnd = /[\s,]+(?:please|thanks|thank\s+you)$/i;

/** Removes trailing punctuation; a path that consists only of dots keeps them. */
function withoutMarks(text: string): string {
  const bare = text.replace(/[\s?!,;:\u2026]+$/, '');
  return bare.replace(/([^\s/.])\.+$/, '$1');
}

const maxLineLength = 512;

/**
 * The tokens of an input line without polite phrases and final punctuation; null when the line is too long,
 * empty or has several lines.
 */
export function utteranceTokens(line: string): readonly string[] | null {
  if (line.length > maxLineLength) return null;
  let text = line.normalize('NFC').trim();
  if (text === '' || /[\r\n]/.test(text)) return null;
  for (let before = ''; before !== text;) {
    before = text;
    text = withoutMarks(text).replace(politeStart, '').replace(politeEnd, '').trim();
  }
  return text.match(/(["'`])(?:(?!\1).)+\1|\S+/g);
}

/** One possible reading of an utterance: the token positions of its slots. */
interface Reading {
  readonly at: number;
  readonly slots: readonly (readonly [string, number])[];
}

/** Maximum number of readings per pattern; more are noise. */
const maxReadings = 64;

function advance(
  pieces: readonly Piece[],
  tokens: readonly string[],
  readings: readonly Reading[],
): readonly Reading[] {
  let open = readings;
  for (const piece of pieces) {
    open = open.flatMap((reading) => step(piece, tokens, reading)).slice(0, maxReadings);
    if (open.length === 0) return open;
  }
  return open;
}

function step(piece: Piece, tokens: readonly string[], reading: Reading): readonly Reading[] {
  if (piece.type === 'choice') return piece.options.flatMap((option) => advance(option, tokens, [reading]));
  const token = tokens[reading.at];
  if (token === undefined) return [];
  const at = reading.at + 1;
  if (piece.type === 'slot') return [{ at, slots: [...reading.slots, [piece.name, reading.at]] }];
  return piece.word === token.toLowerCase().replace(/,$/, '') ? [{ at, slots: reading.slots }] : [];
}

/** A match of a whole utterance: the text of each slot, and the words around them. */
export interface PatternMatch {
  readonly slots: ReadonlyMap<string, string>;
  readonly words: readonly string[];
}

/** All matches of the whole utterance, most literal first; a slot takes one token (or one quoted text). */
export function matchPattern(pieces: readonly Piece[], tokens: readonly string[]): readonly PatternMatch[] {
  const whole = advance(pieces, tokens, [{ at: 0, slots: [] }]).filter(({ at }) => at === tokens.length);
  return whole
    .map(({ slots }) => {
      const taken = new Set(slots.map(([, index]) => index));
      return {
        slots: new Map(slots.map(([name, index]) => [name, tokens[index] ?? ''])),
        words: tokens.filter((_, index) => !taken.has(index)).map((token) => token.toLowerCase()),
      };
    })
    .sort((a, b) => b.words.length - a.words.length);
}
