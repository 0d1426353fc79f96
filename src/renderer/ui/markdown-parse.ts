import { Lexer, Marked, Tokenizer, type Links, type Token } from 'marked';
import { mathExtensions, type MathToken } from './markdown-math-syntax';

/** What a link reference (`[label]: address`) of the text points at, by label. */
export type LinkTargets = Links;
export type MarkdownToken = Token | MathToken;

/** A token inside a leaf of text; which members are there depends on its type. */
export interface InlineToken {
  readonly type: string;
  readonly raw: string;
  readonly text?: string;
  readonly href?: string;
  readonly tex?: string;
  readonly display?: boolean;
  readonly tokens?: readonly InlineToken[];
}

/** Deeper quotes and lists are shown as the characters they are: no text can grow the call stack. */
const maxDepth = 16;
/** Longer runs of text are parsed in pieces, so that no rule of the grammar sees more than this at once. */
const pieceLength = 8_000;
/** Emphasis is matched pairwise; beyond this many marks in one piece the text is not prose. */
const maxMarks = 400;
const maxBrackets = 600;

let depth = 0;

function nested<T>(read: () => T | undefined): T | undefined {
  if (depth >= maxDepth) return undefined;
  depth += 1;
  try {
    return read();
  } finally {
    depth -= 1;
  }
}

const grammar = new Marked({
  gfm: true,
  extensions: mathExtensions,
  tokenizer: {
    blockquote(src: string) {
      return nested(() => Tokenizer.prototype.blockquote.call(this, src));
    },
    // A formula may interrupt any paragraph, so no underlined heading reaches across the start of one.
    lheading(src: string) {
      const heading = Tokenizer.prototype.lheading.call(this, src);
      return heading && /\n {0,3}(?:\$\$|\\\[)/.test(heading.raw) ? undefined : heading;
    },
    list(src: string) {
      return nested(() => Tokenizer.prototype.list.call(this, src));
    },
  },
});

/** Block structure only: leaves keep their source text, which `lexInline` reads when (and only when) they are drawn. */
export function lexBlocks(text: string): MarkdownToken[] {
  return new Lexer(grammar.defaults).blockTokens(text, []);
}

function countOf(text: string, rule: RegExp): number {
  return text.match(rule)?.length ?? 0;
}

function isTangle(text: string): boolean {
  return countOf(text, /[*_~]/g) > maxMarks || countOf(text, /[[\]!<]/g) > maxBrackets;
}

const plain = (text: string): InlineToken => ({ type: 'text', raw: text, text });

function lexPiece(text: string, targets: LinkTargets): readonly InlineToken[] {
  if (isTangle(text)) return [plain(text)];
  const lexer = new Lexer(grammar.defaults);
  lexer.tokens.links = targets;
  return lexer.inlineTokens(text, []);
}

/** Where to cut a long run: after the last white space that fits. */
function pieceEnd(text: string, from: number): number {
  const limit = from + pieceLength;
  if (limit >= text.length) return text.length;
  const space = Math.max(text.lastIndexOf(' ', limit), text.lastIndexOf('\n', limit));
  return space > from ? space + 1 : limit;
}

/** Inline structure of one leaf, in time linear in its length whatever it holds. */
export function lexInline(text: string, targets: LinkTargets): readonly InlineToken[] {
  if (text.length <= pieceLength) return lexPiece(text, targets);
  const tokens: InlineToken[] = [];
  for (let at = 0; at < text.length;) {
    const end = pieceEnd(text, at);
    tokens.push(...lexPiece(text.slice(at, end), targets));
    at = end;
  }
  return tokens;
}
