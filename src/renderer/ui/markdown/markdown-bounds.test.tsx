import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findUnsafeMarkup } from '../../../testing/unsafe-markup';
import { Markdown, plainTextFrom } from './markdown';
import { loadKatex } from './markdown-math';

// KaTeX renders only in standards mode, which requires a doctype.
Object.defineProperty(document, 'compatMode', { value: 'CSS1Compat' });
afterEach(cleanup);

const actions = { onOpenLink: () => undefined, onCopy: () => undefined };

const macros = `${'\\def\\a{xx}\\def\\b{\\a\\a\\a\\a\\a\\a\\a\\a}\\def\\c{\\b\\b\\b\\b\\b\\b\\b\\b}\\def\\d{\\c\\c\\c\\c\\c\\c\\c\\c}'}\\d\\d\\d\\d`;

describe('limited work', () => {
  const bombs: readonly (readonly [string, string])[] = [
    ['nested quotes', '>'.repeat(100_000)],
    ['nested quotes with spaces', '> '.repeat(100_000)],
    ['nested lists', '- '.repeat(100_000)],
    ['numbered lists', '1. '.repeat(30_000)],
    [
      'growing indentation',
      Array.from({ length: 400 }, (_, depth) => `${' '.repeat(depth * 2)}- x`).join('\n'),
    ],
    ['brackets', '['.repeat(50_000)],
    ['closed brackets', '[a]('.repeat(20_000)],
    ['image starts', '!['.repeat(30_000)],
    ['stars', '*a_'.repeat(20_000)],
    ['open bold', '**a '.repeat(20_000)],
    ['underscores', '_a'.repeat(30_000)],
    ['backticks', '`a``b```'.repeat(8_000)],
    ['pipes', '|'.repeat(50_000)],
    ['wide table', `${'|a'.repeat(2_000)}|\n${'|-'.repeat(2_000)}|\n`],
    ['angle brackets', '<a '.repeat(30_000)],
    ['comments', '<!--'.repeat(20_000)],
    ['dollars', '$a'.repeat(30_000)],
    ['exclamation marks', '!'.repeat(50_000)],
    ['ampersands', '&'.repeat(50_000)],
    ['references', '[a]: b\n'.repeat(5_000)],
    ['a macro bomb', `$$\n${macros}\n$$`],
    ['a recursive macro', '$$\n\\def\\x{\\x\\x}\\x\n$$'],
    ['nested braces', `$$\n${'{'.repeat(3_000)}${'}'.repeat(3_000)}\n$$`],
  ];

  it.each(bombs)('[H67] survives %s as harmless text', async (_name, text) => {
    await loadKatex();
    const began = performance.now();
    for (const streaming of [true, false]) {
      const view = render(<Markdown text={text} streaming={streaming} {...actions} />);
      expect(findUnsafeMarkup(view.container)).toEqual([]);
      view.unmount();
    }
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('[H67] shows a 5 MB message as plain text, a window of it at a time', () => {
    const onCopy = vi.fn();
    const text = 'words <b>and</b> **more** words\n'.repeat(160_000);
    expect(text.length).toBeGreaterThan(plainTextFrom);
    const { container } = render(
      <Markdown text={text} streaming={false} onOpenLink={() => undefined} onCopy={onCopy} />,
    );
    expect(container.textContent).toContain('shown as plain text');
    expect(container.textContent.length).toBeLessThan(60_000);
    expect(container.querySelector('strong, b')).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Copy all' }));
    expect(onCopy.mock.calls[0]?.[0]).toBe(text);
  });

  it('draws a 200 kB message in parts, to its end', async () => {
    const text = Array.from(
      { length: 400 },
      (_, n) => `### Part ${n}\n\n${'Words of a part. '.repeat(28)}`,
    ).join('\n\n');
    const { container } = render(<Markdown text={text} streaming={false} {...actions} />);
    expect(screen.getAllByRole('heading').length).toBeLessThan(100);
    await waitFor(() => expect(container.querySelectorAll('[role=heading]')).toHaveLength(400), {
      timeout: 10_000,
    });
  });

  it('draws a finished block once, however long the text continues', () => {
    const view = render(<Markdown text={'first\n\nsecond\n\n'} streaming {...actions} />);
    const first = view.container.querySelector('p');
    for (let n = 0; n < 50; n += 1) {
      act(() =>
        view.rerender(<Markdown text={`first\n\nsecond\n\n${'word '.repeat(n)}`} streaming {...actions} />),
      );
    }
    expect(view.container.querySelector('p')).toBe(first);
  });
});
