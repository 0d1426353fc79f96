import type { TokenizerAndRendererExtension, Tokens } from 'marked';

/** A footnote definition at its place in the text; references render only if it exists. */
export interface FootnoteToken extends Tokens.Generic {
  readonly type: 'footnote';
  readonly label: string;
  readonly text: string;
}

/** `[^label]: text`, up to an empty line or the next footnote. */
const definition =
  /^ {0,3}\[\^([^\]\s]{1,60})\]:[ \t]+([^\n]+(?:\n(?![ \t]*(?:\n| {0,3}\[\^))[^\n]+)*)(?:\n|$)/;

function footnote(src: string): FootnoteToken | undefined {
  const match = definition.exec(src);
  const [raw, label, text] = match ?? [];
  if (raw === undefined || label === undefined || text === undefined) return undefined;
  return { type: 'footnote', raw, label, text: text.replace(/\n[ \t]+/g, '\n') };
}

/** The link target of every footnote reference; it is not an address and is never opened. */
export const footnoteTarget = '#footnote';

/** The lookup label of a reference: `[^a]` refers to `^a`. */
export const footnoteTag = (label: string): string => `^${label.toLowerCase()}`;

export const footnoteExtension: TokenizerAndRendererExtension = {
  name: 'footnote',
  level: 'block',
  start: (src) => {
    const at = src.search(/\n {0,3}\[\^[^\]\s]{1,60}\]:/);
    return at === -1 ? undefined : at + 1;
  },
  tokenizer: footnote,
};
