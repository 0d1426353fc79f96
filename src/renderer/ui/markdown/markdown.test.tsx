import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Markdown } from './markdown';
import { SaveTextContext } from './markdown-context';
import { loadKatex } from './markdown-math';

// KaTeX renders only in standards mode, which requires a doctype.
Object.defineProperty(document, 'compatMode', { value: 'CSS1Compat' });
afterEach(cleanup);

const actions = { onOpenLink: () => undefined, onCopy: () => undefined };

describe('links', () => {
  const draw = (text: string) => {
    const onOpenLink = vi.fn();
    const view = render(
      <Markdown text={text} streaming={false} onCopy={() => undefined} onOpenLink={onOpenLink} />,
    );
    return { ...view, onOpenLink };
  };

  it('[H63] ask to open the real address and never follow it', () => {
    const { onOpenLink } = draw('[the docs](https://docs.example/a?b=1)');
    const link = screen.getByRole('link', { name: 'the docs' });
    expect(link.title).toContain('docs.example');
    for (const [type, button] of [
      ['click', 0],
      ['auxclick', 1],
    ] as const) {
      expect(fireEvent(link, new MouseEvent(type, { bubbles: true, cancelable: true, button }))).toBe(false);
    }
    expect(onOpenLink.mock.calls).toEqual([['https://docs.example/a?b=1'], ['https://docs.example/a?b=1']]);
  });

  it.each([
    ['[https://bank.example](https://evil.example/login)', 'evil.example'],
    ['[sign in](https://bank.example@evil.example/)', 'evil.example'],
    ['[apple](https://аpple.example/)', 'xn--'],
    ['<https://bank.example@evil.example>', 'evil.example'],
  ])('[H63] show the real target of %s', (text, host) => {
    const { container } = draw(text);
    expect(container.textContent).toContain(`leads to `);
    expect(container.textContent).toContain(host);
  });

  it('[H63] cause no warning when the label names their own host', () => {
    const { container } = draw('https://docs.example/page and [docs.example](https://www.docs.example)');
    expect(container.querySelectorAll('a')).toHaveLength(2);
    expect(container.textContent).not.toContain('leads to');
  });

  it('[H64] to images are chips with their text and host', () => {
    const { container, onOpenLink } = draw('![a chart](https://pics.example/c.png)');
    expect(container.querySelector('img')).toBeNull();
    expect(container.textContent).toContain('a chart');
    fireEvent.click(screen.getByRole('link'));
    expect(onOpenLink).toHaveBeenCalledWith('https://pics.example/c.png');
  });
});

describe('Markdown elements', () => {
  it('include tables, tasks, code and lists with their semantics', () => {
    const text =
      '| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\n3. three\n4. four\n\n```ts\nlet a = 1;\n```';
    const { container } = render(<Markdown text={text} streaming={false} {...actions} />);
    expect(screen.getAllByRole('cell').map((cell) => cell.textContent)).toEqual(['1', '2']);
    expect(screen.getByRole('img', { name: 'Done' })).toBeTruthy();
    expect(screen.getByRole('img', { name: 'To do' })).toBeTruthy();
    expect(container.querySelector('ol')?.getAttribute('start')).toBe('3');
    expect(container.querySelector('pre')?.textContent).toContain('let a = 1;');
    expect(container.textContent).not.toContain('[x]');
  });

  it('include formulas, and leave amounts of money alone', async () => {
    await loadKatex();
    const { container } = render(
      <Markdown text={'It costs $5 or $6.\n\n$x^2$ and\n\n$$\ny^3\n$$'} streaming={false} {...actions} />,
    );
    // A formula that does not fit into a slow frame renders when the window is idle.
    await waitFor(() => expect(container.querySelectorAll('.katex')).toHaveLength(2));
    expect(container.textContent).toContain('It costs $5 or $6.');
  });

  it('are closed visually while a text grows', () => {
    const { container } = render(<Markdown text="some **bold wor" streaming {...actions} />);
    expect(container.querySelector('strong')?.textContent).toBe('bold wor');
  });

  it('include references that are defined later', () => {
    const text = 'see [the page][p]\n\nmore\n\n[p]: https://ref.example/x\n';
    const view = render(<Markdown text={text.slice(0, 30)} streaming {...actions} />);
    view.rerender(<Markdown text={text} streaming={false} {...actions} />);
    expect(screen.getByRole('link', { name: 'the page' }).getAttribute('href')).toBe('https://ref.example/x');
  });

  it('include programs that are copied exactly', () => {
    const onCopy = vi.fn();
    render(
      <Markdown
        text={'```js\nlet a;\n\n\tlet b;\n```'}
        streaming={false}
        onOpenLink={() => undefined}
        onCopy={onCopy}
      />,
    );
    fireEvent.click(screen.getByRole('button', { name: 'Copy code' }));
    expect(onCopy).toHaveBeenCalledWith('let a;\n\n\tlet b;');
  });

  it('[MD-code-tools] include long code that can be wrapped, folded and saved, without its line numbers', () => {
    const onSave = vi.fn();
    const code = Array.from({ length: 14 }, (_, at) => `line${at};`).join('\n');
    const { container } = render(
      <SaveTextContext value={onSave}>
        <Markdown text={`\`\`\`python\n${code}\n\`\`\``} streaming={false} {...actions} />
      </SaveTextContext>,
    );
    const wrap = screen.getByRole('button', { name: 'Wrap long lines' });
    expect(container.querySelector('[data-numbers]')?.getAttribute('data-numbers')).toMatch(
      /^1\n2\n.*\n14$/s,
    );
    fireEvent.click(wrap);
    expect(wrap.getAttribute('aria-pressed')).toBe('true');
    // Wrapped lines bring their numbers along; the column only keeps the width of the last one.
    expect(container.querySelector('[data-numbers]')?.getAttribute('data-numbers')).toBe('14');
    const lines = (): readonly Element[] => [...container.querySelectorAll('[data-wrapped] [data-line]')];
    expect(lines().map((line) => [line.getAttribute('data-line'), line.textContent])).toEqual(
      code.split('\n').map((line, at) => [String(at + 1), line]),
    );
    fireEvent.click(wrap);
    expect(lines()).toEqual([]);
    expect(container.querySelector('[data-numbers]')?.getAttribute('data-numbers')).toMatch(/^1\n2\n/);
    fireEvent.click(wrap);
    fireEvent.click(screen.getByRole('button', { name: 'Save as a file…' }));
    expect(onSave).toHaveBeenCalledWith('code.py', code);
    fireEvent.click(screen.getByRole('button', { name: 'Fold this code' }));
    expect(container.querySelector('pre')).toBeNull();
    expect(container.textContent).toContain('python · 14 lines');
    fireEvent.click(screen.getByRole('button', { name: 'Show this code' }));
    expect(lines().map((line) => line.textContent)).toEqual(code.split('\n'));
  });

  it('[MD-code-tools] number the lines of wrapped code across its pieces, empty lines and colours that span lines', async () => {
    const code = `/* a\n\nb */\n${'let a = 1;\n'.repeat(150)}`.trimEnd();
    const { container } = render(
      <Markdown text={`\`\`\`ts\n${code}\n\`\`\``} streaming={false} {...actions} />,
    );
    fireEvent.click(screen.getByRole('button', { name: 'Wrap long lines' }));
    await waitFor(() => expect(container.querySelector('.text-syntax-keyword')).not.toBeNull());
    const lines = [...container.querySelectorAll('[data-line]')];
    expect(lines.map((line) => line.getAttribute('data-line'))).toEqual(
      Array.from({ length: 153 }, (_, at) => String(at + 1)),
    );
    // An empty line keeps its height.
    expect(lines.slice(0, 4).map((line) => line.textContent)).toEqual(['/* a', '\n', 'b */', 'let a = 1;']);
    expect(lines[2]?.querySelector('.text-syntax-comment')).not.toBeNull();
  });

  it('[MD-code-tools] include code that stays wrapped and folded when it is mounted again', () => {
    const text = `\`\`\`\n${'scrolled away;\n'.repeat(14)}\`\`\``;
    const show = () => render(<Markdown text={text} streaming={false} {...actions} />);
    const first = show();
    fireEvent.click(screen.getByRole('button', { name: 'Wrap long lines' }));
    fireEvent.click(screen.getByRole('button', { name: 'Fold this code' }));
    first.unmount();
    show();
    fireEvent.click(screen.getByRole('button', { name: 'Show this code' }));
    expect(screen.getByRole('button', { name: 'Wrap long lines' }).getAttribute('aria-pressed')).toBe('true');
  });

  it('[MD-long-words] break a word that is wider than the window, wherever it stands', () => {
    const word = 'w'.repeat(300);
    const places = ['W', '# W', '###### W', '- W', '- [ ] W', '> W', '**W**', '`W`'];
    const { container } = render(
      <Markdown text={places.join('\n\n').replaceAll('W', word)} streaming={false} {...actions} />,
    );
    const texts = document.createTreeWalker(container, NodeFilter.SHOW_TEXT);
    const found: (string | undefined)[] = [];
    while (texts.nextNode()) {
      const { parentElement, nodeValue } = texts.currentNode;
      if (nodeValue === word) found.push(parentElement?.closest('.wrap-anywhere')?.tagName);
    }
    expect(found).toHaveLength(places.length);
    expect(found).not.toContain(undefined);
  });

  it('[MD-table-csv] include tables that are copied for a spreadsheet', () => {
    const onCopy = vi.fn();
    render(
      <Markdown text={'| a |\n|---|\n| **b** |\n'} streaming={false} onOpenLink={vi.fn()} onCopy={onCopy} />,
    );
    const button = screen.getByRole('button', { name: 'Copy this table as CSV' });
    expect(button.closest('.absolute')).toBeNull();
    fireEvent.click(button);
    expect(onCopy).toHaveBeenCalledWith('a\r\nb\r\n');
  });

  it('include known languages that are coloured once their grammar is loaded', async () => {
    const { container } = render(
      <Markdown text={'```ts\nconst a = "b";\n```'} streaming={false} {...actions} />,
    );
    await waitFor(() => expect(container.querySelector('.text-syntax-string')?.textContent).toBe('"b"'));
    expect(container.querySelector('pre')?.textContent).toBe('const a = "b";');
  });
});
