import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { createBlockSplitter, type Blocks } from '#shared/markdown/blocks';
import { MarkdownBlock } from './markdown-block';
import { LinkTargetsContext, MarkdownActionsContext, type MarkdownActions } from './markdown-context';
import { PlainText } from './markdown-plain';
import { useGrowingCount } from './markdown-growth';
import type { MarkdownToken } from '#shared/markdown/parse';

/** The page has level 1 and a turn level 2, so headings of a text begin at level 3. */
const firstLevel = 3;
const lastLevel = 6;

/**
 * The outline level of each block that is a heading. Levels follow the nesting of the headings, not their
 * source level, so no level is skipped. Text that arrives later never changes an earlier level.
 */
export function outlineLevels(blocks: readonly MarkdownToken[]): readonly (number | undefined)[] {
  const above: number[] = [];
  return blocks.map((token) => {
    if (token.type !== 'heading') return undefined;
    const depth = Number(token.depth);
    while (depth <= (above.at(-1) ?? 0)) above.pop();
    above.push(depth);
    return Math.min(lastLevel, firstLevel + above.length - 1);
  });
}

interface MarkdownProps extends MarkdownActions {
  readonly text: string;
  /** More text is still to come. */
  readonly streaming: boolean;
}

/**
 * From this length on, markup does not help: the text is shown as it is, with only its visible lines rendered.
 */
export const plainTextFrom = 400_000;

const blocksAtOnce = 14;

function BlockList({ blocks }: { blocks: Blocks['blocks'] }) {
  const count = useGrowingCount(blocks.length, blocksAtOnce);
  const levels = useMemo(() => outlineLevels(blocks.map(({ token }) => token)), [blocks]);
  return blocks
    .slice(0, count)
    .map(({ token, open }, index) => (
      <MarkdownBlock key={index} token={token} open={open} level={levels[index]} />
    ));
}

function Rendered({ text, streaming }: { text: string; streaming: boolean }) {
  const [splitter] = useState(createBlockSplitter);
  const paced = usePacedText(text, streaming, frameInterval(splitter.tailLength()));
  const { blocks, targets } = useMemo(() => splitter.update(paced, streaming), [splitter, paced, streaming]);
  return (
    <LinkTargetsContext value={targets}>
      <BlockList blocks={blocks} />
    </LinkTargetsContext>
  );
}

/**
 * Renders untrusted markdown: the only way that text of a model or tool reaches the screen, both streaming
 * and from history. No HTML, no images, no addresses other than http and https; bounded work for any input.
 */
export const Markdown = memo(function Markdown({
  text,
  streaming,
  onOpenLink,
  onCopy,
  insideLink,
}: MarkdownProps) {
  const actions = useMemo(
    () => ({ onOpenLink, onCopy, ...(insideLink && { insideLink }) }),
    [onOpenLink, onCopy, insideLink],
  );
  return (
    <MarkdownActionsContext value={actions}>
      <div className="markdown readable text-message [&>:first-child]:mt-0 [&>:last-child]:mb-0">
        {text.length >= plainTextFrom ? (
          <PlainText text={text} onCopy={onCopy} />
        ) : (
          <Rendered text={text} streaming={streaming} />
        )}
      </div>
    </MarkdownActionsContext>
  );
});

/**
 * Milliseconds between two renders of a growing text: smooth to read, and every other frame stays free for
 * key presses.
 */
const rhythm = 32;

/** Milliseconds between two renders of a growing text with an incomplete tail of this length. */
function frameInterval(tailLength: number): number {
  return Math.max(rhythm, Math.min(250, Math.round(tailLength / 300)));
}

/** The text to render: the newest, or while streaming, the newest at intervals of `pace` milliseconds. */
function usePacedText(text: string, streaming: boolean, pace: number): string {
  const free = !streaming;
  const [shown, setShown] = useState(text);
  const latest = useRef(text);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  if (free && shown !== text) setShown(text);
  useEffect(() => {
    latest.current = text;
    if (free || shown === text || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      setShown(latest.current);
    }, pace);
  }, [free, shown, text, pace]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return free ? text : shown;
}
