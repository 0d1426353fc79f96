import type { TokenizerAndRendererExtension, Token, Tokens } from 'marked';

/** A part of a text that the reader opens: `<details><summary>…</summary>…</details>`. */
export interface DetailsToken extends Tokens.Generic {
  readonly type: 'details';
  readonly summary: string;
  readonly opened: boolean;
  /** Whether its end has arrived. */
  readonly closed: boolean;
  readonly tokens: Token[];
}

/** No attribute but `open`: a tag with any other stays text. */
const opening = /^ {0,3}<details(\s+open(?:=(?:""|"open"))?)?\s*>/i;
const summaryTag = /^\s*<summary>([^<]*(?:<(?!\/summary)[^<]*)*)<\/summary>/i;
const boundary = /^ {0,3}(`{3,}|~{3,})|<(\/?)details[^>]{0,40}>/gim;

/** Where the end tag of the part begins and ends; a tag in a code block counts for nothing. */
function endOf(src: string, from: number): readonly [at: number, end: number] | undefined {
  let depth = 1;
  let fence = '';
  for (const match of src.slice(from).matchAll(boundary)) {
    const [tag, ticks, slash] = match;
    if (ticks !== undefined) {
      if (fence === '') fence = ticks;
      else if (ticks.startsWith(fence)) fence = '';
      continue;
    }
    if (fence !== '') continue;
    depth += slash === '/' ? -1 : 1;
    if (depth === 0) return [from + match.index, from + match.index + tag.length];
  }
  return undefined;
}

/** Emphasis in a heading of this kind adds nothing, and every other tag stays text. */
const withoutEmphasis = (text: string): string => text.replace(/<\/?(?:b|strong|i|em|code)>/gi, '').trim();

type ReadBlocks = (text: string) => Token[];
type ReadDetails = (src: string) => DetailsToken | undefined;

const readDetails =
  (readBlocks: ReadBlocks): ReadDetails =>
  (src) => {
    const start = opening.exec(src);
    if (!start) return undefined;
    const end = endOf(src, start[0].length);
    const inner = src.slice(start[0].length, end?.[0]);
    const summary = summaryTag.exec(inner);
    const raw = end ? src.slice(0, end[1]) + (/^[ \t]*\n/.exec(src.slice(end[1]))?.[0] ?? '') : src;
    return {
      type: 'details',
      raw,
      summary: withoutEmphasis(summary?.[1] ?? ''),
      opened: start[1] !== undefined,
      closed: end !== undefined,
      tokens: readBlocks(inner.slice(summary?.[0].length ?? 0).replace(/^[ \t]*\n+/, '')),
    };
  };

/**
 * Reads a collapsible part, whose content `readBlocks` parses and whose nesting `nested` limits. Without an end
 * tag, it reaches to the end of the text, as in a browser.
 */
export function detailsExtension(
  readBlocks: ReadBlocks,
  nested: (read: ReadDetails) => ReadDetails,
): TokenizerAndRendererExtension {
  return {
    name: 'details',
    level: 'block',
    start: (src) => {
      const at = src.search(/\n {0,3}<details[\s>]/i);
      return at === -1 ? undefined : at + 1;
    },
    tokenizer: nested(readDetails(readBlocks)),
  };
}
