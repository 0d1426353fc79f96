import { marked, type Token, type Tokens } from 'marked';
import { helpTopicOf } from '#shared/help-page';

const narrowest = 40;
const widest = 100;

/** The visible characters of inline markup. A link to another page names the topic to ask for. */
function inline(tokens: readonly Token[] | undefined): string {
  return (tokens ?? []).map(inlineText).join('');
}

function inlineText(token: Token): string {
  switch (token.type) {
    case 'link': {
      const { href } = token as Tokens.Link;
      const label = inline(token.tokens);
      const topic = helpTopicOf(href);
      if (topic !== null) return `${label} (patina help ${topic})`;
      return label === href ? label : `${label} (${href})`;
    }
    case 'br':
      return '\n';
    case 'codespan':
    case 'escape':
    case 'html':
      return (token as Tokens.Codespan).text;
    default: {
      const { tokens, text, raw } = token as Tokens.Text;
      return tokens ? inline(tokens) : decodeEntities(text ?? raw);
    }
  }
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
};
const decodeEntities = (text: string): string =>
  text.replaceAll(/&(?:lt|gt|amp|quot|#39);/g, (one) => entities[one] ?? one);

/** Breaks a paragraph into lines of at most `width` characters; longer words stay whole. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length > width && line !== '') {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

const indent = (lines: readonly string[], by: number): readonly string[] =>
  lines.map((line) => (line === '' ? '' : ' '.repeat(by) + line));

/** Rows as columns when the first columns leave room for the last one, otherwise as "cell: text" paragraphs. */
function table(token: Tokens.Table, width: number): readonly string[] {
  const cells = [token.header, ...token.rows].map((row) => row.map(({ tokens }) => inline(tokens)));
  const widths = token.header.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const fixed = widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 0);
  const last = Math.min(widths.at(-1) ?? 0, width - fixed);
  if (last < 24 && last < (widths.at(-1) ?? 0)) return listed(cells.slice(1), width);
  const lines = cells.flatMap((row) => {
    const before = row.slice(0, -1).map((cell, at) => cell.padEnd(widths[at] ?? 0));
    const [first = '', ...rest] = wrap(row.at(-1) ?? '', Math.max(last, 1));
    return [[...before, first].join('  ').trimEnd(), ...indent(rest, fixed)];
  });
  const rule = '─'.repeat(Math.min(width, fixed + last));
  return [lines[0] ?? '', rule, ...lines.slice(1)];
}

function listed(rows: readonly (readonly string[])[], width: number): readonly string[] {
  return rows.flatMap(([first = '', ...rest]) => [
    ...wrap(first, width),
    ...rest.flatMap((cell) => indent(wrap(cell, width - 4), 4)),
  ]);
}

function list(token: Tokens.List, width: number): readonly string[] {
  return token.items.flatMap((item, at) => {
    const bullet = token.ordered ? `${Number(token.start) + at}. ` : '• ';
    const [first = '', ...rest] = blocks(item.tokens, width - bullet.length);
    return [bullet + first, ...indent(rest, bullet.length)];
  });
}

function block(token: Token, width: number): readonly string[] {
  switch (token.type) {
    case 'space':
      return [];
    case 'heading': {
      const title = inline(token.tokens);
      const { depth } = token as Tokens.Heading;
      return depth > 2 ? [title] : [title, (depth === 1 ? '═' : '─').repeat(title.length)];
    }
    case 'code':
      return indent((token as Tokens.Code).text.split('\n'), 4);
    case 'table':
      return table(token as Tokens.Table, width);
    case 'list':
      return list(token as Tokens.List, width);
    default:
      return wrap('tokens' in token ? inline(token.tokens) : token.raw, width);
  }
}

/** Blocks with an empty line between them; the parts of a list item stand close together. */
function blocks(tokens: readonly Token[], width: number): readonly string[] {
  const shown = tokens.map((token) => block(token, width)).filter((lines) => lines.length > 0);
  return shown.flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]));
}

/** Renders a page of the user guide as plain text for a terminal of this width. */
export function renderPage(markdown: string, columns: number): string {
  const width = Math.max(narrowest, Math.min(widest, columns));
  return blocks(marked.lexer(markdown), width).join('\n');
}
