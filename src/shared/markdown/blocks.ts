import { footnoteTag, footnoteTarget } from './footnote-syntax';
import { lexBlocks, type LinkTargets, type MarkdownToken } from './parse';

/** A top-level block of a text; its identity stays the same as long as its content does. */
export interface Block {
  readonly token: MarkdownToken;
  /** The text may continue inside this block. */
  readonly open: boolean;
}

export interface Blocks {
  readonly blocks: readonly Block[];
  readonly targets: LinkTargets;
}

const noTargets: LinkTargets = {};
const toFootnote = { href: footnoteTarget, title: null };
const isShown = (token: MarkdownToken): boolean => token.type !== 'space' && token.type !== 'def';

/**
 * Hides a last line of only delimiters until its meaning is clear, so that `-`, `**` or `|--` do not flicker.
 */
function withoutPartialDelimiter(tail: string): string {
  const lineStart = tail.lastIndexOf('\n') + 1;
  const line = tail.slice(lineStart);
  return line.length < 40 && /^[\s>]*(?:[-*+=_#`~|:\s$]+|\d{1,9}[.)]?)\s*$/.test(line)
    ? tail.slice(0, lineStart)
    : tail;
}

/**
 * The index of the first block that can still change: the last one, plus adjacent paragraphs, because a block
 * after a paragraph can parse differently than it does alone.
 */
function firstIncomplete(tokens: readonly MarkdownToken[]): number {
  let first = tokens.findLastIndex((token) => token.type !== 'space');
  while (first > 0 && tokens[first - 1]?.type === 'paragraph') first -= 1;
  return Math.max(0, first);
}

/** Labels match in lower case with single spaces; the first definition wins. */
function addTargets(targets: LinkTargets, tokens: readonly MarkdownToken[]): LinkTargets {
  let next = targets;
  for (const token of tokens) {
    if (token.type === 'footnote') next = { [footnoteTag(String(token.label))]: toFootnote, ...next };
    if (token.type !== 'def' || Object.hasOwn(next, String(token.tag))) continue;
    next = {
      ...next,
      [String(token.tag)]: { href: String(token.href), title: token.title as string | null },
    };
  }
  return next;
}

/**
 * Splits a growing text into blocks. A complete block is parsed once and keeps its identity; only the tail is
 * parsed again. Any division of a text into pieces gives the same blocks as the whole text.
 */
export function createBlockSplitter() {
  let text = '';
  let completeEnd = 0;
  let scannedTo = 0;
  let complete: Block[] = [];
  let targets: LinkTargets = noTargets;

  const reset = (): void => {
    completeEnd = 0;
    scannedTo = 0;
    complete = [];
    targets = noTargets;
  };

  /** A block is complete when a later one has begun on a complete line: no further text can change it. */
  const parseComplete = (): void => {
    const committed = text.lastIndexOf('\n') + 1;
    if (committed <= scannedTo) return;
    scannedTo = committed;
    const tokens = lexBlocks(text.slice(completeEnd, committed));
    const done = tokens.slice(0, firstIncomplete(tokens));
    targets = addTargets(targets, done);
    completeEnd += done.reduce((length, token) => length + token.raw.length, 0);
    const blocks = done.filter(isShown).map((token) => ({ token, open: false }));
    if (blocks.length > 0) complete = [...complete, ...blocks];
  };

  /** The length of the part that every change parses again. */
  const tailLength = (): number => text.length - completeEnd;

  const update = (source: string, streaming: boolean): Blocks => {
    const next = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source;
    if (!next.startsWith(text)) reset();
    text = next;
    parseComplete();
    const tail = text.slice(completeEnd);
    const tokens = lexBlocks(streaming ? withoutPartialDelimiter(tail) : tail);
    const shown = tokens.filter(isShown);
    const blocks = shown.map((token, index) => ({ token, open: streaming && index === shown.length - 1 }));
    return { blocks: [...complete, ...blocks], targets: addTargets(targets, tokens) };
  };

  return { update, tailLength };
}
