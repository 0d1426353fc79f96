import { Lexer, Marked, Tokenizer, type Links, type Token } from 'marked';
import { detailsExtension, type DetailsToken } from './details-syntax';
import { footnoteExtension, type FootnoteToken } from './footnote-syntax';
import { mathExtensions, type MathToken } from './math-syntax';

/** The targets of link references (`[label]: address`) in the text, by label. */
export type LinkTargets = Links;
export type MarkdownToken = Token | MathToken | FootnoteToken | DetailsToken;

/** An inline token; its type determines which members are present. */
export interface InlineToken {
  readonly type: string;
  readonly raw: string;
  readonly text?: string;
  readonly href?: string;
  readonly tex?: string;
  readonly display?: boolean;
  readonly tokens?: readonly InlineToken[];
}

/** Deeper quotes and lists are shown as source text, so no text can grow the call stack. */
const maxDepth = 16;
/** Longer texts are parsed in pieces, so that no grammar rule scans more than this at once. */
const pieceLength = 8_000;
let depth = 0;

function nested<T>(read: (src: string) => T | undefined): (src: string) => T | undefined {
  return (src) => {
    if (depth >= maxDepth) return undefined;
    depth += 1;
    try {
      return read(src);
    } finally {
      depth -= 1;
    }
  };
}

const formulaStart = /\n {0,3}(?:\$\$|\\\[)/;

/** The grammar of GitHub's markdown with formulas, footnotes, collapsible parts and a nesting limit. */
function createLexer(): Lexer {
  const tokenizer = new Tokenizer();
  tokenizer.blockquote = nested(tokenizer.blockquote.bind(tokenizer));
  tokenizer.list = nested(tokenizer.list.bind(tokenizer));
  const readUnderlined = tokenizer.lheading.bind(tokenizer);
  // A formula can interrupt any paragraph, so an underlined heading never extends past the start of one.
  tokenizer.lheading = (src) => {
    const heading = readUnderlined(src);
    return heading && formulaStart.test(heading.raw) ? undefined : heading;
  };
  return new Lexer({ ...grammar.defaults, tokenizer });
}

const grammar = new Marked({
  gfm: true,
  extensions: [...mathExtensions, footnoteExtension, detailsExtension(lexBlocks, nested)],
});

/**
 * Parses only the block structure: leaves keep their source text, which `lexInline` parses when they render.
 */
export function lexBlocks(text: string): MarkdownToken[] {
  return createLexer().blockTokens(text, []);
}

/**
 * Delimiter counts that prose never reaches in one piece; a piece that exceeds one is shown as source text.
 */
const limits: readonly (readonly [RegExp, number])[] = [
  [/[*_~]/g, 400],
  [/[[\]!<]/g, 600],
  [/`/g, 500],
  [/\$/g, 200],
];

function isTangle(text: string): boolean {
  return limits.some(([delimiter, max]) => (text.match(delimiter)?.length ?? 0) > max);
}

const plain = (text: string): InlineToken => ({ type: 'text', raw: text, text });

/** Parses the inline structure of one piece of a leaf. */
export function lexInline(text: string, targets: LinkTargets): readonly InlineToken[] {
  if (isTangle(text)) return [plain(text)];
  const lexer = createLexer();
  lexer.tokens.links = targets;
  return lexer.inlineTokens(text, []);
}

/** The end of a piece of a long text: after the last white space that fits. */
function pieceEnd(text: string, from: number): number {
  const limit = from + pieceLength;
  if (limit >= text.length) return text.length;
  const space = Math.max(text.lastIndexOf(' ', limit - 1), text.lastIndexOf('\n', limit - 1));
  return space > from ? space + 1 : limit;
}

/**
 * Splits a leaf into pieces of bounded length, so that rendering takes time linear in its length for any
 * content.
 */
export function piecesOf(text: string): readonly string[] {
  if (text.length <= pieceLength) return [text];
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = pieceEnd(text, at);
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
