/** A pattern in pieces: a literal word, a slot, or alternatives (an option may be empty). */
type Piece =
  | { readonly type: 'word'; readonly word: string }
  | { readonly type: 'slot'; readonly name: string }
  | { readonly type: 'choice'; readonly options: readonly (readonly Piece[])[] };

/** One way to say a pattern, with its alternatives resolved. */
export type PatternForm = readonly (
  | { readonly type: 'word'; readonly word: string }
  | { readonly type: 'slot'; readonly name: string }
)[];

const mostForms = 5_000;

/** Reads `words [optional] (a|b) {param}`; throws on a malformed pattern, which is a fault of the row and found at start-up. */
function parsePieces(pattern: string): readonly Piece[] {
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
    if (token === ']' || token === ')') throw new Error(`"${token}" closes nothing`);
    return { type: 'word', word: token.toLowerCase() };
  };
  const [first = [], ...others] = sequence(null);
  if (others.length > 0) throw new Error('"|" stands outside parentheses');
  return first;
}

function expand(pieces: readonly Piece[]): readonly PatternForm[] {
  let forms: PatternForm[] = [[]];
  for (const piece of pieces) {
    const continued = piece.type === 'choice' ? piece.options.flatMap(expand) : [[piece] as PatternForm];
    forms = forms.flatMap((form) => continued.map((more) => [...form, ...more]));
    if (forms.length > mostForms) throw new Error(`more than ${mostForms} ways to say it`);
  }
  return forms;
}

/** All ways to say a pattern. Throws when it is malformed, has no word, or names a slot twice. */
export function patternForms(pattern: string): readonly PatternForm[] {
  const forms = expand(parsePieces(pattern));
  for (const form of forms) {
    const slots = form.flatMap((piece) => (piece.type === 'slot' ? [piece.name] : []));
    if (!form.some((piece) => piece.type === 'word')) throw new Error('a way to say it has no word');
    if (new Set(slots).size < slots.length) throw new Error('a slot stands twice');
  }
  return forms;
}

const politeStart =
  /^(?:(?:please|hey|hi|hello|ok|okay|so|now|patina)[,!]?\s+|(?:can|could|would|will)\s+you\s+(?:please\s+)?|(?:i\s+want\s+(?:you\s+)?to|i(?:'|\u2019)?d\s+like\s+(?:you\s+)?to|let(?:'|\u2019)?s|go\s+ahead\s+and)\s+)/i;
const politeEnd = /[\s,]+(?:please|thanks|thank\s+you|for\s+me)$/i;

/** A line of input as the patterns see it: one line, short, politeness and final punctuation off; null when it cannot match. */
export function utteranceTokens(line: string): readonly string[] | null {
  if (line.length > 512) return null;
  let text = line.normalize('NFC').trim();
  if (text === '' || /[\r\n]/.test(text)) return null;
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(/[\s?!.,;:\u2026]+$/, (end) => (/^\.{1,2}$/.test(end) && /\s$|\/$/.test(text.slice(0, -end.length)) ? end : ''));
    text = text.replace(politeStart, '').replace(politeEnd, '').trim();
  }
  return text.match(/(["'`])(?:(?!\1).)+\1|\S+/g);
}

/** The texts of a form's slots when the whole utterance is one way to say it; a slot takes one token. */
export function matchForm(form: PatternForm, tokens: readonly string[]): ReadonlyMap<string, string> | null {
  if (form.length !== tokens.length) return null;
  const slots = new Map<string, string>();
  for (const [index, piece] of form.entries()) {
    const token = tokens[index] ?? '';
    if (piece.type === 'slot') slots.set(piece.name, token);
    else if (piece.word !== token.toLowerCase().replace(/,$/, '')) return null;
  }
  return slots;
}
