import type { MouseEvent } from 'react';

function toFootnote({ currentTarget }: MouseEvent<HTMLElement>): void {
  const { label = '' } = currentTarget.dataset;
  const notes = currentTarget.closest('.markdown')?.querySelectorAll<HTMLElement>('[data-footnote]') ?? [];
  [...notes].find((note) => note.dataset['footnote'] === label)?.scrollIntoView({ block: 'center' });
}

/** A reference to a footnote of the same text; it leads there and nowhere else. */
export function FootnoteMark({ label }: { readonly label: string }) {
  return (
    <sup>
      <button
        type="button"
        data-label={label.toLowerCase()}
        aria-label={`Footnote ${label}`}
        className="numbers rounded-sm px-0.5 text-2xs font-medium text-accent-text hover:underline"
        onClick={toFootnote}
      >
        {label}
      </button>
    </sup>
  );
}
