import type { TokenizerAndRendererExtension, Tokens } from 'marked';

/** A TeX formula in markdown; `closed` is false until its end arrives. */
export interface MathToken extends Tokens.Generic {
  readonly type: 'blockMath' | 'inlineMath';
  readonly tex: string;
  readonly display: boolean;
  readonly closed: boolean;
}

const oneLine = /^ {0,3}(?:\$\$([^\n]+?)\$\$|\\\[([^\n]+?)\\\])[ \t]*(?:\n|$)/;
const opening = /^ {0,3}(\$\$|\\\[)[ \t]*\n/;

/**
 * Reads up to the closing delimiter; a blank line ends an unclosed formula, so it cannot swallow the rest of
 * a reply.
 */
function openedBlock(src: string): MathToken | undefined {
  const start = opening.exec(src);
  if (!start) return undefined;
  const close = start[1] === '$$' ? '$$' : '\\]';
  let at = start[0].length;
  while (at < src.length) {
    const newline = src.indexOf('\n', at);
    const end = newline === -1 ? src.length : newline + 1;
    const line = src.slice(at, end).trim();
    if (line === '') break;
    if (line.endsWith(close)) {
      const tex = `${src.slice(start[0].length, at)}${line.slice(0, -close.length)}`;
      return { type: 'blockMath', raw: src.slice(0, end), tex: tex.trim(), display: true, closed: true };
    }
    at = end;
  }
  const tex = src.slice(start[0].length, at).trim();
  return { type: 'blockMath', raw: src.slice(0, at), tex, display: true, closed: false };
}

function blockMath(src: string): MathToken | undefined {
  const line = oneLine.exec(src);
  if (!line) return openedBlock(src);
  const tex = (line[1] ?? line[2] ?? '').trim();
  return { type: 'blockMath', raw: line[0], tex, display: true, closed: true };
}

/** The length bounds prevent repeated scans of a long paragraph for a lone `$`. */
const inlineRules: readonly { readonly rule: RegExp; readonly display: boolean }[] = [
  { rule: /^\$\$([^$]{1,2000}?)\$\$/, display: true },
  { rule: /^\$(?![\s$])((?:\\[^\n]|[^\\$\n]){1,500}?)(?<!\s)\$(?!\d)/, display: false },
  { rule: /^\\\(([^\n]{1,500}?)\\\)/, display: false },
  { rule: /^\\\[([^\n]{1,2000}?)\\\]/, display: true },
];

function inlineMath(src: string): MathToken | undefined {
  for (const { rule, display } of inlineRules) {
    const match = rule.exec(src);
    const tex = match?.[1]?.trim();
    if (match && tex) return { type: 'inlineMath', raw: match[0], tex, display, closed: true };
  }
  return undefined;
}

function firstOf(src: string, rule: RegExp): number | undefined {
  const at = src.search(rule);
  return at === -1 ? undefined : at;
}

/** `$…$`, `$$…$$`, `\(…\)` and `\[…\]`; a dollar sign next to a space or before a digit is money. */
export const mathExtensions: TokenizerAndRendererExtension[] = [
  {
    name: 'blockMath',
    level: 'block',
    start: (src) => {
      const at = firstOf(src, /\n {0,3}(?:\$\$|\\\[)/);
      return at === undefined ? undefined : at + 1;
    },
    tokenizer: blockMath,
  },
  {
    name: 'inlineMath',
    level: 'inline',
    start: (src) => firstOf(src, /\$|\\[([]/),
    tokenizer: inlineMath,
  },
];
