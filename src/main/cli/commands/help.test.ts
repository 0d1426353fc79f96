import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HelpPage } from '#shared/help-page';
import type { Result } from '#shared/result';
import { readHelpPages } from '../../adapters/system/help-pages';
import type { Terminal } from '../output';
import { renderPage } from '../render-page';
import { helpCommand } from './help';

const guide = readHelpPages(resolve('docs/user'));
const pages = guide.ok ? guide.value : [];

function ask(words: readonly string[], from: Result<readonly HelpPage[]> = guide) {
  const said = { out: '', log: '' };
  const terminal = {
    json: false,
    out: (text: string) => void (said.out += text),
    log: (text: string) => void (said.log += text),
  } as Terminal;
  const commandHelp = (path: readonly string[]) =>
    path.join(' ') === 'recipe run' ? 'Usage: recipe run\n' : null;
  const code = helpCommand(
    from,
    { words, columns: 80, commandHelp, commandNames: ['recipe', 'doctor'] },
    terminal,
  );
  return { code, ...said };
}

describe('patina help', () => {
  it('[DOC-help-command] lists the topics, the index first and each page once', () => {
    const { code, out } = ask([]);
    expect(code).toBe(0);
    const listed = out
      .split('\n')
      .flatMap((line) => /^ {2}(\S+) {2,}(.+)$/.exec(line)?.slice(1).join(' ') ?? []);
    expect(listed).toEqual(pages.map(({ topic, title }) => `${topic} ${title}`));
    expect(pages[0]?.topic).toBe('user-guide');
    expect(new Set(pages.map(({ topic }) => topic)).size).toBe(pages.length);
  });

  it('[DOC-help-command] prints a page, in any case of its name', () => {
    const { code, out } = ask(['Recipes']);
    expect(code).toBe(0);
    expect(out).toContain('Recipes\n═══════');
  });

  it('[DOC-help-command] prints the help of a command', () => {
    expect(ask(['recipe', 'run'])).toMatchObject({ code: 0, out: 'Usage: recipe run\n' });
  });

  it('[DOC-help-command] suggests similar topics and commands for an unknown topic', () => {
    const { code, out, log } = ask(['recpies']);
    expect([code, out]).toEqual([2, '']);
    expect(log).toContain('There is no help topic "recpies".');
    expect(log).toContain('Did you mean recipes, recipe?');
    expect(ask(['qqqqqqqqqqqq']).log).toContain('`patina help` lists the topics.');
  });

  it('[DOC-help-command] says why the guide cannot be read', () => {
    const missing = readHelpPages(resolve('docs/no-such-folder'));
    const { code, log } = ask([], missing);
    expect(code).toBe(1);
    expect(log).toContain('The user guide cannot be read');
  });

  it('[DOC-help-command] removes markup from a page and wraps its lines at the width of the terminal', () => {
    for (const { topic, text } of pages) {
      const prose = renderPage(text, 72)
        .split('\n')
        .filter((line) => !line.startsWith('    '));
      expect(prose.join('\n'), topic).not.toMatch(/\*\*[^*\n]+\*\*|\]\(|^#|<kbd>|<!--/m);
      // A word that is longer than a line, such as an address, stays whole.
      const long = prose.filter((line) => line.length > 72 && line.trim().split(/\s+/).length > 3);
      expect(long, topic).toEqual([]);
    }
  });

  it('renders a wide table as paragraphs, a list with its marks, and a link as the topic to request', () => {
    const wide = `| a | b |\n| - | - |\n| ${'x'.repeat(40)} | ${'word '.repeat(20)} |\n`;
    const shown = renderPage(`# T\n\n1. one [two](recipes.md)\n2. three\n\n${wide}`, 50);
    expect(shown).toContain('1. one two (patina help recipes)\n2. three');
    expect(shown).toContain(`${'x'.repeat(40)}\n    word`);
  });
});
