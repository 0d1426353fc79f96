import { ChevronRight, Square, SquareCheck } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import type { Tokens } from 'marked';
import { text } from '../../locales/text';
import { CodeBlock } from './code-block';
import { MarkdownDiagram } from './markdown-diagram';
import { useGrowingCount } from './markdown-growth';
import { directionOf } from './markdown-direction';
import type { DetailsToken } from '#shared/markdown/details-syntax';
import type { FootnoteToken } from '#shared/markdown/footnote-syntax';
import { Inline } from './markdown-inline';
import { MathFormula } from './markdown-math';
import type { MarkdownToken } from '#shared/markdown/parse';
import { MarkdownTable } from './markdown-table';

interface BlockProps {
  readonly token: MarkdownToken;
  /** The text may continue inside this block. */
  readonly open: boolean;
  /** A heading's level in the page outline; undefined for a heading inside a quote or list. */
  readonly level?: number | undefined;
}

const headingLooks = [
  'mt-6 mb-2 text-lg font-semibold',
  'mt-6 mb-2 text-[1.0625rem] font-semibold leading-6',
  'mt-5 mb-1.5 text-message font-semibold',
  'mt-4 mb-1 text-message font-semibold',
  'mt-4 mb-1 text-base font-semibold text-muted',
  'mt-4 mb-1 text-base font-medium text-muted',
] as const;

interface HeadingProps extends Omit<BlockProps, 'token'> {
  readonly token: Tokens.Heading;
}

function Heading({ token, open, level }: HeadingProps) {
  return (
    <div
      role={level === undefined ? undefined : 'heading'}
      aria-level={level}
      dir="auto"
      className={`wrap-anywhere ${headingLooks[token.depth - 1] ?? headingLooks[5]}`}
    >
      <Inline text={token.text} open={open} />
    </div>
  );
}

function fenceClosed(raw: string): boolean {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1];
  if (fence === undefined) return true;
  const last = raw
    .trimEnd()
    .slice(raw.trimEnd().lastIndexOf('\n') + 1)
    .trim();
  return raw.includes('\n') && last.startsWith(fence) && last.replaceAll(fence.charAt(0), '') === '';
}

function TaskMark({ done }: { done: boolean }) {
  const Icon = done ? SquareCheck : Square;
  return (
    <span
      role="img"
      aria-label={text(done ? 'ui.markdown.done' : 'ui.markdown.toDo')}
      className="absolute -start-6 top-1 text-muted"
    >
      <Icon aria-hidden="true" className={`size-4 ${done ? 'text-accent-text' : ''}`} />
    </span>
  );
}

const taskPrefix = /^\[[ xX]\][ \t]+/;

/** Removes the checkbox characters from the first words of a task item, because a mark shows them. */
function withoutBox(token: MarkdownToken): MarkdownToken {
  const text = (token as { text?: string }).text ?? '';
  return { ...token, text: text.replace(taskPrefix, '') };
}

interface ItemProps {
  readonly item: Tokens.ListItem;
  readonly open: boolean;
  readonly part: boolean;
}
const sameItem = (a: ItemProps, b: ItemProps): boolean =>
  a.item.raw === b.item.raw && a.item.loose === b.item.loose && a.open === b.open && a.part === b.part;

const ListItem = memo(function ListItem({ item, open, part }: ItemProps) {
  const tokens = item.tokens.filter((token) => token.type !== 'checkbox');
  const shown = item.task ? tokens.map((token, index) => (index === 0 ? withoutBox(token) : token)) : tokens;
  return (
    <li
      role={part ? 'listitem' : undefined}
      className={`relative ps-1 marker:text-muted ${item.loose ? 'my-2' : 'my-1'} ${item.task ? 'list-none' : ''}`}
    >
      {item.task && <TaskMark done={item.checked === true} />}
      <BlockTokens tokens={shown} open={open} />
    </li>
  );
}, sameItem);

/** Items per group of a long list: one new item makes the window style and lay out only its group. */
const itemsPerGroup = 40;

interface ItemsProps {
  readonly items: readonly Tokens.ListItem[];
  /** The number of the first item; undefined for an unordered list. */
  readonly start: number | undefined;
  readonly open: boolean;
  /** One of several parts of a list; an element around them has the list role for screen readers. */
  readonly part: boolean;
}

const sameItems = (a: ItemsProps, b: ItemsProps): boolean =>
  a.open === b.open &&
  a.start === b.start &&
  a.part === b.part &&
  a.items.length === b.items.length &&
  a.items.every((item, index) => item.raw === b.items[index]?.raw && item.loose === b.items[index].loose);

const Items = memo(function Items({ items, start, open, part }: ItemsProps) {
  const role = part ? 'none' : undefined;
  const shown = items.map((item, index) => (
    <ListItem key={index} item={item} part={part} open={open && index === items.length - 1} />
  ));
  if (start === undefined) {
    return (
      <ul role={role} className="list-disc ps-6">
        {shown}
      </ul>
    );
  }
  return (
    <ol role={role} start={start} className="numbers list-decimal ps-6">
      {shown}
    </ol>
  );
}, sameItems);

function List({ token, open }: { token: Tokens.List; open: boolean }) {
  const { items, ordered, start } = token;
  const groups = Math.ceil(items.length / itemsPerGroup);
  const count = useGrowingCount(groups, 1);
  const first = start === '' ? 1 : start;
  return (
    <div role={groups > 1 ? 'list' : undefined} dir={directionOf(token.raw)} className="my-2">
      {Array.from({ length: count }, (_, group) => (
        <Items
          key={group}
          part={groups > 1}
          items={items.slice(group * itemsPerGroup, (group + 1) * itemsPerGroup)}
          start={ordered ? first + group * itemsPerGroup : undefined}
          open={open && group === groups - 1}
        />
      ))}
    </div>
  );
}

function Quote({ token, open }: { token: Tokens.Blockquote; open: boolean }) {
  return (
    <blockquote
      dir={directionOf(token.text)}
      className="my-3 border-s-2 border-line-strong ps-3.5 text-muted"
    >
      <BlockTokens tokens={token.tokens} open={open} />
    </blockquote>
  );
}

/** A part that the reader opens; its words are read like all others. */
function Collapsible({ token, open }: { token: DetailsToken; open: boolean }) {
  return (
    <details open={token.opened} className="group/part my-3 rounded-lg border border-line">
      <summary
        dir="auto"
        className="flex cursor-default list-none items-center gap-1.5 rounded-lg px-2.5 py-1.5 font-medium hover:bg-hover"
      >
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-muted group-open/part:rotate-(--quarter-turn)"
        />
        <span className="min-w-0 wrap-anywhere">
          <Inline
            text={token.summary === '' ? text('ui.markdown.details') : token.summary}
            open={open && !token.closed && token.tokens.length === 0}
          />
        </span>
      </summary>
      <div className="px-3.5 pb-1">
        <BlockTokens tokens={token.tokens} open={open && !token.closed} />
      </div>
    </details>
  );
}

type Shape = (token: never, open: boolean, level: number | undefined) => ReactNode;

/** All supported block types; any other block is shown as its source text. */
const shapes: Readonly<Record<string, Shape>> = {
  paragraph: (token: Tokens.Paragraph, open) => (
    <p dir="auto" className="my-3 wrap-anywhere">
      <Inline text={token.text} open={open} />
    </p>
  ),
  text: (token: Tokens.Text, open) => (
    <div dir="auto" className="wrap-anywhere">
      <Inline text={token.text} open={open} />
    </div>
  ),
  heading: (token: Tokens.Heading, open, level) => <Heading token={token} open={open} level={level} />,
  code: (token: Tokens.Code, open) => {
    const growing = open && !fenceClosed(token.raw);
    const language = token.lang ?? '';
    if (!growing && /^mermaid\b/i.test(language))
      return <MarkdownDiagram code={token.text} language={language} />;
    return <CodeBlock code={token.text} language={language} growing={growing} />;
  },
  list: (token: Tokens.List, open) => <List token={token} open={open} />,
  blockquote: (token: Tokens.Blockquote, open) => <Quote token={token} open={open} />,
  table: (token: Tokens.Table, open) => <MarkdownTable table={token} open={open} />,
  hr: () => <hr className="my-5 border-line" />,
  html: (token: Tokens.HTML) => (
    <p className="my-3 whitespace-pre-wrap wrap-anywhere">{token.raw.trimEnd()}</p>
  ),
  details: (token: DetailsToken, open) => <Collapsible token={token} open={open} />,
  footnote: (token: FootnoteToken, open) => <Footnote token={token} open={open} />,
  blockMath: (token: { tex: string; closed: boolean }) => <MathFormula tex={token.tex} display />,
};

const sameBlock = (a: BlockProps, b: BlockProps): boolean =>
  a.open === b.open &&
  a.level === b.level &&
  (a.token === b.token || (a.token.raw === b.token.raw && a.token.type === b.token.type));

/** One markdown block; renders again only when its own text changes. */
export const MarkdownBlock = memo(function MarkdownBlock({ token, open, level }: BlockProps) {
  if (token.type === 'space' || token.type === 'def') return null;
  const shape = Object.hasOwn(shapes, token.type) ? shapes[token.type] : undefined;
  if (!shape) return <p className="my-3 whitespace-pre-wrap">{token.raw}</p>;
  return shape(token as never, open, level);
}, sameBlock);

function BlockTokens({ tokens, open }: { tokens: readonly MarkdownToken[]; open: boolean }) {
  return tokens.map((token, index) => (
    <MarkdownBlock key={index} token={token} open={open && index === tokens.length - 1} />
  ));
}

/** A footnote with its label and text, at its place in the source. */
export function Footnote({ token, open }: { readonly token: FootnoteToken; readonly open: boolean }) {
  return (
    <div
      data-footnote={token.label.toLowerCase()}
      role="note"
      dir="auto"
      className="my-2 flex gap-2 text-sm text-muted"
    >
      <span className="numbers shrink-0 text-xs text-accent-text">{token.label}</span>
      <div className="min-w-0 wrap-anywhere">
        <Inline text={token.text} open={open} />
      </div>
    </div>
  );
}
