import { useState } from 'react';
import { visibleControls } from '#shared/direction-controls';
import type { ContextItem, ItemContent } from '#shared/context-item';
import type { Result } from '#shared/result';
import { text } from '../locales/text';
import { ErrorCard } from './error-card';
import { formatBytes } from './format';

/** The rendered part of a long content. */
const drawnLength = 100_000;

export type ReadItem = (hash: string) => Promise<Result<ItemContent>>;

function Content({ item, content }: { readonly item: ContextItem; readonly content: Result<ItemContent> }) {
  if (!content.ok) return <ErrorCard error={content.error} />;
  if (content.value.type === 'image')
    return (
      <img
        src={content.value.dataUrl}
        alt={visibleControls(item.ref)}
        className="max-h-80 max-w-full rounded-md border border-line bg-code object-contain"
      />
    );
  return (
    <pre
      dir="auto"
      tabIndex={0}
      aria-label={visibleControls(item.ref)}
      className="readable max-h-80 w-full overflow-auto rounded-md border border-line bg-code px-3 py-2 text-start font-mono text-xs whitespace-pre-wrap wrap-anywhere"
    >
      {content.value.text.slice(0, drawnLength)}
      {content.value.text.length > drawnLength && '…'}
    </pre>
  );
}

interface SentItemsProps {
  readonly items: readonly ContextItem[];
  readonly readItem: ReadItem;
}

/** What was sent with a line; a press shows the content as it was sent. */
export function SentItems({ items, readItem }: SentItemsProps) {
  const [open, setOpen] = useState<ContextItem | null>(null);
  const [content, setContent] = useState<Result<ItemContent> | null>(null);
  const toggle = async (item: ContextItem) => {
    setContent(null);
    if (open === item) return setOpen(null);
    setOpen(item);
    setContent(await readItem(item.hash));
  };
  return (
    <div className="ms-auto mt-1 flex w-fit max-w-[88%] flex-col items-end gap-1.5">
      <ul aria-label={text('items.sent')} className="flex max-w-full flex-wrap justify-end gap-1.5">
        {items.map((item, at) => (
          <li key={`${at} ${item.hash}`} className="max-w-full">
            <button
              type="button"
              aria-expanded={open === item}
              title={visibleControls(item.ref)}
              onClick={() => void toggle(item)}
              className="flex h-6 max-w-full min-w-0 items-center gap-1.5 rounded-md border border-line px-2 text-xs hover:bg-hover"
            >
              <span className="truncate">{visibleControls(item.ref.split('/').at(-1) ?? '')}</span>
              <span className="numbers shrink-0 text-muted">{formatBytes(item.bytes)}</span>
            </button>
          </li>
        ))}
      </ul>
      {open && content && <Content item={open} content={content} />}
    </div>
  );
}
