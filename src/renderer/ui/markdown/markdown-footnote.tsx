import { Inline } from './markdown-inline';
import type { FootnoteToken } from './markdown-footnote-syntax';

/** A footnote: its mark and its text, in the place it was written. */
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
