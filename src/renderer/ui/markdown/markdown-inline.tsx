import { memo, useContext, type MouseEvent, type ReactNode } from 'react';
import remend from 'remend';
import { text } from '../../locales/text';
import { LinkTargetsContext } from './markdown-context';
import { decodeEntities } from '#shared/markdown/entities';
import { footnoteTarget } from '#shared/markdown/footnote-syntax';
import { useGrowingCount } from './markdown-growth';
import { ImageChip, MarkdownLink } from './markdown-link';
import { MathFormula } from './markdown-math';
import { lexInline, piecesOf, type InlineToken } from '#shared/markdown/parse';

/**
 * Closes delimiters left open at the end of a growing text, so that bold text is bold before its end arrives.
 */
function closeDelimiters(text: string): string {
  return remend(text, {
    htmlTags: false,
    setextHeadings: false,
    linkMode: 'text-only',
    images: false,
    katex: false,
  });
}

/** The visible characters of inline tokens, without markup. */
function plainText(tokens: readonly InlineToken[] | undefined, fallback: string): string {
  if (!tokens) return decodeEntities(fallback);
  return tokens.map((token) => plainText(token.tokens, token.text ?? '')).join('');
}

/** Shows raw HTML as text, except for the line break, which is harmless. */
function HtmlText({ raw }: { raw: string }) {
  return /^<br\s*\/?>$/i.test(raw) ? <br /> : <>{raw}</>;
}

function nested(token: InlineToken): ReactNode {
  return <InlineTokens tokens={token.tokens ?? []} />;
}

type Shape = (token: InlineToken) => ReactNode;
const textOf = (token: InlineToken): string => token.text ?? '';
const hrefOf = (token: InlineToken): string => decodeEntities(token.href ?? '');

/** All supported inline types; any other token is shown as its source text. */
const shapes: Readonly<Record<string, Shape>> = {
  text: (token) => (token.tokens ? nested(token) : decodeEntities(textOf(token))),
  escape: (token) => textOf(token),
  html: (token) => <HtmlText raw={token.raw} />,
  strong: (token) => <strong className="font-semibold">{nested(token)}</strong>,
  em: (token) => <em>{nested(token)}</em>,
  del: (token) => <del className="text-muted">{nested(token)}</del>,
  codespan: (token) => (
    <code className="rounded-sm border border-line bg-code px-1 py-px font-mono text-[0.88em] wrap-anywhere">
      {textOf(token)}
    </code>
  ),
  br: () => <br />,
  checkbox: () => null,
  link: (token) =>
    token.href === footnoteTarget && token.raw.startsWith('[^') ? (
      <FootnoteMark label={textOf(token).slice(1)} />
    ) : (
      <MarkdownLink href={hrefOf(token)} label={plainText(token.tokens, textOf(token))}>
        {nested(token)}
      </MarkdownLink>
    ),
  image: (token) => <ImageChip href={hrefOf(token)} alt={plainText(token.tokens, textOf(token))} />,
  inlineMath: (token) => <MathFormula tex={token.tex ?? ''} display={token.display === true} />,
};

function InlineForm({ token }: { token: InlineToken }) {
  const shape = Object.hasOwn(shapes, token.type) ? shapes[token.type] : undefined;
  return <>{shape ? shape(token) : token.raw}</>;
}

function InlineTokens({ tokens }: { tokens: readonly InlineToken[] }) {
  return tokens.map((token, index) => <InlineForm key={index} token={token} />);
}

const Piece = memo(function Piece({ text, open }: { text: string; open: boolean }) {
  const targets = useContext(LinkTargetsContext);
  return <InlineTokens tokens={lexInline(open ? closeDelimiters(text) : text, targets)} />;
});

/** One leaf of text with inline markup; parsed when rendered, and again only where the text changes. */
export const Inline = memo(function Inline({ text, open }: { text: string; open: boolean }) {
  const pieces = piecesOf(text);
  const count = useGrowingCount(pieces.length, 2);
  return pieces
    .slice(0, count)
    .map((piece, index) => <Piece key={index} text={piece} open={open && index === pieces.length - 1} />);
});
function toFootnote({ currentTarget }: MouseEvent<HTMLElement>): void {
  const { label = '' } = currentTarget.dataset;
  const notes = currentTarget.closest('.markdown')?.querySelectorAll<HTMLElement>('[data-footnote]') ?? [];
  [...notes].find((note) => note.dataset['footnote'] === label)?.scrollIntoView({ block: 'center' });
}

/** A reference to a footnote in the same text; it can lead nowhere else. */
function FootnoteMark({ label }: { readonly label: string }) {
  return (
    <sup>
      <button
        type="button"
        data-label={label.toLowerCase()}
        aria-label={text('ui.markdown.footnote', { label })}
        className="numbers rounded-sm px-0.5 text-2xs font-medium text-accent-text hover:underline"
        onClick={toFootnote}
      >
        {label}
      </button>
    </sup>
  );
}
