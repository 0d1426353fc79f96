import { Copy } from 'lucide-react';
import { useMemo } from 'react';
import { Virtualizer } from 'virtua';
import { text } from '../../locales/text';
import { VirtualContainer } from '../virtual-container';
import { formatTenths } from '../format';

const sliceLength = 2_000;

/** Splits a text into slices of at most `sliceLength` characters, at a line end where possible. */
export function slicesOf(text: string): string[] {
  const slices: string[] = [];
  for (let at = 0; at < text.length;) {
    const limit = Math.min(text.length, at + sliceLength);
    const newline = limit === text.length ? -1 : text.lastIndexOf('\n', limit - 1);
    const end = newline > at ? newline + 1 : limit;
    slices.push(text.slice(at, end));
    at = end;
  }
  return slices;
}

/** A very long text without markup: only the visible slices exist in the page. */
export function PlainText({ text: message, onCopy }: { text: string; onCopy: (text: string) => void }) {
  const slices = useMemo(() => slicesOf(message), [message]);
  return (
    <div className="my-3 overflow-hidden rounded-lg border border-line">
      <div className="flex items-center gap-2 border-b border-line bg-surface py-1 ps-3 pe-1 text-sm text-muted">
        <span className="numbers grow">
          {text('ui.markdown.asPlainText', { millions: formatTenths(message.length / 1_000_000) })}
        </span>
        <button
          type="button"
          className="flex items-center gap-1.5 rounded-md px-2 py-1 hover:bg-hover hover:text-text"
          onClick={() => onCopy(message)}
        >
          <Copy aria-hidden="true" className="size-3.5" />
          {text('ui.markdown.copyAll')}
        </button>
      </div>
      <div
        role="region"
        aria-label={text('ui.markdown.longMessage')}
        tabIndex={0}
        className="h-96 overflow-y-auto p-3 font-mono text-sm"
      >
        <Virtualizer as={VirtualContainer} data={slices} itemSize={400} ssrCount={2}>
          {(slice, index) => (
            <div key={index} dir="auto" className="whitespace-pre-wrap wrap-anywhere">
              {slice.endsWith('\n') ? slice.slice(0, -1) : slice}
            </div>
          )}
        </Virtualizer>
      </div>
    </div>
  );
}
