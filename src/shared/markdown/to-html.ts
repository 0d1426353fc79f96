import type { Tokens } from 'marked';
import { createBlockSplitter } from './blocks';
import type { DetailsToken } from './details-syntax';
import { decodeEntities } from './entities';
import { footnoteTarget, type FootnoteToken } from './footnote-syntax';
import { readLink } from './links';
import { lexInline, piecesOf, type InlineToken, type LinkTargets, type MarkdownToken } from './parse';

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Makes text safe between tags and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');

const textOf = (token: InlineToken): string => escapeHtml(decodeEntities(token.text ?? ''));
const formula = (tex: string): string => `<code class="math">${escapeHtml(tex)}</code>`;

/** Remote pictures are never loaded: the file names the picture and links to it. */
function link(href: string, label: string): string {
  const safe = readLink(decodeEntities(href));
  return safe ? `<a href="${escapeHtml(safe.url)}" rel="noreferrer noopener">${label}</a>` : label;
}

const inner = (token: InlineToken): string =>
  token.tokens ? token.tokens.map(inlineToken).join('') : textOf(token);
const tagged =
  (tag: string) =>
  (token: InlineToken): string =>
    `<${tag}>${inner(token)}</${tag}>`;

const isFootnote = ({ href, raw }: InlineToken): boolean => href === footnoteTarget && raw.startsWith('[^');

/** All supported inline types; any other token is written as its source text. */
const inlineShapes: Readonly<Record<string, (token: InlineToken) => string>> = {
  text: inner,
  escape: ({ text = '' }) => escapeHtml(text),
  strong: tagged('strong'),
  em: tagged('em'),
  del: tagged('del'),
  codespan: ({ text = '' }) => `<code>${escapeHtml(text)}</code>`,
  br: () => '<br>',
  checkbox: () => '',
  link: (token) =>
    isFootnote(token)
      ? `<sup>${escapeHtml((token.text ?? '').slice(1))}</sup>`
      : link(token.href ?? '', inner(token)),
  image: (token) => link(token.href ?? '', `[${textOf(token) || 'picture'}]`),
  inlineMath: ({ tex = '' }) => formula(tex),
  html: ({ raw }) => (/^<br\s*\/?>$/i.test(raw) ? '<br>' : escapeHtml(raw)),
};

function inlineToken(token: InlineToken): string {
  const shape = Object.hasOwn(inlineShapes, token.type) ? inlineShapes[token.type] : undefined;
  return shape ? shape(token) : escapeHtml(token.raw);
}

const inline = (text: string, targets: LinkTargets): string =>
  piecesOf(text)
    .flatMap((piece) => lexInline(piece, targets))
    .map(inlineToken)
    .join('');

function item({ tokens, task, checked }: Tokens.ListItem, targets: LinkTargets): string {
  const inner = tokens.filter(({ type }) => type !== 'checkbox').map((token) => block(token, targets));
  const box = task ? `<span class="task">${checked === true ? '☑' : '☐'}</span> ` : '';
  const shown = task ? inner.map((html) => html.replace(/^\[[ xX]\][ \t]+/, '')) : inner;
  return `<li${task ? ' class="task-item"' : ''}>${box}${shown.join('\n')}</li>`;
}

function list({ ordered, start, items }: Tokens.List, targets: LinkTargets): string {
  const inner = items.map((each) => item(each, targets)).join('\n');
  return ordered
    ? `<ol${start !== '' && start !== 1 ? ` start="${start}"` : ''}>\n${inner}\n</ol>`
    : `<ul>\n${inner}\n</ul>`;
}

function table({ header, rows, align }: Tokens.Table, targets: LinkTargets): string {
  const cell = (tag: 'td' | 'th', { text }: Tokens.TableCell, column: number): string => {
    const side = align[column];
    return `<${tag}${side ? ` style="text-align:${side}"` : ''}>${inline(text, targets)}</${tag}>`;
  };
  const row = (tag: 'td' | 'th', cells: readonly Tokens.TableCell[]): string =>
    `<tr>${cells.map((each, column) => cell(tag, each, column)).join('')}</tr>`;
  const body = rows.map((cells) => row('td', cells)).join('\n');
  return `<table>\n<thead>${row('th', header)}</thead>\n<tbody>\n${body}\n</tbody>\n</table>`;
}

type Shape = (token: never, targets: LinkTargets) => string;

/** All supported block types; any other block is written as its source text. */
const shapes: Readonly<Record<string, Shape>> = {
  space: () => '',
  def: () => '',
  paragraph: ({ text }: Tokens.Paragraph, targets) => `<p dir="auto">${inline(text, targets)}</p>`,
  text: ({ text }: Tokens.Text, targets) => inline(text, targets),
  heading: ({ depth, text }: Tokens.Heading, targets) =>
    `<h${Math.min(depth + 2, 6)} dir="auto">${inline(text, targets)}</h${Math.min(depth + 2, 6)}>`,
  code: ({ text, lang }: Tokens.Code) =>
    `<pre><code${lang ? ` data-language="${escapeHtml(lang.slice(0, 60))}"` : ''}>${escapeHtml(text)}</code></pre>`,
  list,
  blockquote: ({ tokens }: Tokens.Blockquote, targets) =>
    `<blockquote>${tokens.map((token) => block(token, targets)).join('\n')}</blockquote>`,
  table,
  hr: () => '<hr>',
  footnote: ({ label, text }: FootnoteToken, targets) =>
    `<p class="footnote"><sup>${escapeHtml(label)}</sup> ${inline(text, targets)}</p>`,
  details: ({ summary, opened, tokens }: DetailsToken, targets) =>
    `<details${opened ? ' open' : ''}>\n<summary>${inline(summary, targets)}</summary>\n${tokens.map((token) => block(token, targets)).join('\n')}\n</details>`,
  blockMath: ({ tex }: { readonly tex: string }) => `<p>${formula(tex)}</p>`,
};

function block(token: MarkdownToken, targets: LinkTargets): string {
  const shape = Object.hasOwn(shapes, token.type) ? shapes[token.type] : undefined;
  return shape ? shape(token as never, targets) : `<p>${escapeHtml(token.raw.trimEnd())}</p>`;
}

/**
 * Writes markdown as HTML with the grammar of the window. Raw HTML in the text stays text, only http and https
 * addresses become links, and nothing remote is loaded.
 */
export function markdownToHtml(text: string): string {
  const { blocks, targets } = createBlockSplitter().update(text, false);
  return blocks.map(({ token }) => block(token, targets)).join('\n');
}
