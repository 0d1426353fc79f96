import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createBlockSplitter } from '#shared/markdown/blocks';
import { Markdown } from './markdown';

afterEach(cleanup);

const draw = (text: string) => {
  const onOpenLink = vi.fn();
  const { container } = render(
    <Markdown text={text} streaming={false} onOpenLink={onOpenLink} onCopy={() => undefined} />,
  );
  return { container, onOpenLink };
};
const text =
  'Copper turns green[^1], slowly[^Rust].\n\n[^1]: By *verdigris*.\n[^rust]: Iron does\n  otherwise.\n';

describe('footnotes', () => {
  it('[MD-footnotes] are drawn in place, and their references link to them', () => {
    const { container, onOpenLink } = draw(text);
    const notes = [...container.querySelectorAll('[role=note]')].map((note) => note.textContent);
    expect(notes).toEqual(['1By verdigris.', 'rustIron does\notherwise.']);
    expect(container.querySelector('p')?.textContent).toBe('Copper turns green1, slowlyRust.');
    const shown = vi.fn();
    Element.prototype.scrollIntoView = shown;
    fireEvent.click(screen.getByRole('button', { name: 'Footnote Rust' }));
    expect(shown.mock.contexts).toEqual([container.querySelector('[data-footnote="rust"]')]);
    expect(onOpenLink).not.toHaveBeenCalled();
  });

  it('[MD-footnotes] do not include text that only looks like a reference', () => {
    expect(draw('It matches [^a-z] and [^1].').container.textContent).toBe('It matches [^a-z] and [^1].');
  });

  it('[MD-footnotes] are the same however the text is split', () => {
    const whole = createBlockSplitter().update(text, false);
    const growing = createBlockSplitter();
    for (let end = 1; end < text.length; end += 1) growing.update(text.slice(0, end), true);
    const grown = growing.update(text, false);
    expect(grown.blocks.map(({ token }) => token.raw)).toEqual(whole.blocks.map(({ token }) => token.raw));
    expect(grown.targets).toEqual(whole.targets);
  });
});
