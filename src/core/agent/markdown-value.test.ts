import { describe, expect, it } from 'vitest';
import type { Json } from '#shared/json';
import { cell, renderBlock, renderInline } from './markdown-value';

describe('a value inside a sentence', () => {
  it.each<[Json, string]>([
    ['plain *text*', 'plain *text*'],
    [null, 'none'],
    [3.5, '3.5'],
    [true, 'true'],
    [[], 'none'],
    [{}, 'none'],
    [['a', 2, null], 'a, 2, none'],
    [{ a: 1, b: ['x', 'y'] }, 'a: 1, b: x, y'],
  ])('%j is %s', (value, text) => {
    expect(renderInline(value)).toBe(text);
  });
});

describe('a value inside a table cell or list item', () => {
  it.each<[Json | undefined, string]>([
    [undefined, ''],
    [null, ''],
    ['  two\n\n lines\t', 'two lines'],
    ['a|b', 'a\\|b'],
    ['*x* `y` [z] <b> ~s~ \\', '\\*x\\* \\`y\\` \\[z\\] \\<b\\> \\~s\\~ \\\\'],
    ['snake_case_name', 'snake_case_name'],
    ['_lead and trail_ _', '\\_lead and trail\\_ \\_'],
    [['a|b', 'c'], 'a\\|b, c'],
  ])('%j is %s', (value, text) => {
    expect(cell(value)).toBe(text);
  });
});

describe('a value as a block', () => {
  it.each<[string, Json, string]>([
    ['a text as it is', 'a\nb', 'a\nb'],
    ['nothing as none', null, 'none'],
    ['a number', 4, '4'],
    ['an empty array as nothing', [], ''],
    ['an empty object as nothing', {}, ''],
    ['an array of plain values as a list', ['a*', 2], '- a\\*\n- 2'],
    ['a mixed array as a list', [{ a: 1 }, 2], '- a: 1\n- 2'],
    ['objects in objects as a list', [{ a: { b: 1 } }, { a: 2 }], '- a: b: 1\n- a: 2'],
    [
      'an object as a list with headings',
      { wastedBytes: 3, 'b|c': [1, 2] },
      '- **Wasted bytes**: 3\n- **B\\|c**: 1, 2',
    ],
    [
      'objects as a table with all their columns',
      [
        { path: 'a|b', size: 1 },
        { path: 'c', size: 2, more: [1, 2] },
      ],
      '| Path | Size | More |\n| --- | ---: | --- |\n| a\\|b | 1 |  |\n| c | 2 | 1, 2 |',
    ],
  ])('renders %s', (_what, value, text) => {
    expect(renderBlock(value)).toBe(text);
  });

  it.each([
    ['wastedBytes', 'Wasted bytes'],
    ['wasted_bytes', 'Wasted bytes'],
    ['_wasted_', 'Wasted'],
    ['URL', 'URL'],
    ['aURL', 'A url'],
    ['Ab', 'Ab'],
    ['URLs', 'Urls'],
    ['top10Files', 'Top10 files'],
    ['a*b', 'A\\*b'],
  ])('has the heading of the key %s', (key, heading) => {
    expect(renderBlock({ [key]: 1 })).toBe(`- **${heading}**: 1`);
  });

  it.each<[Json, Json, string]>([
    [1, 2.5, '---:'],
    ['48.0 kB', '-3 MB', '---:'],
    ['3.5 s', '12 %', '---:'],
    ['1,024 bytes', '1 byte', '---:'],
    ['10 ms', '2 min', '---:'],
    ['7 B', '1 GB', '---:'],
    [1, 'x', '---'],
    ['about 3 s', 1, '---'],
    ['3 seconds', 1, '---'],
    ['x3 s', 1, '---'],
    ['3s', 1, '---'],
    [null, 1, '---'],
  ])('aligns a column of %j and %j', (first, second, rule) => {
    expect(renderBlock([{ n: first }, { n: second }]).split('\n')[1]).toBe(`| ${rule} |`);
  });

  it('shows at most 200 rows or items and 12 columns, and says how many rows are left', () => {
    const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));
    expect(renderBlock(rows(200)).split('\n')).toHaveLength(202);
    expect(renderBlock(rows(203)).split('\n')).toHaveLength(204);
    expect(renderBlock(rows(203))).toMatch(/\| 199 \|\n\n… and 3 more\.$/);
    expect(renderBlock(rows(203).map(({ n }) => n))).toMatch(/- 199\n\n… and 3 more\.$/);
    expect(renderBlock(rows(200).map(({ n }) => n))).toMatch(/- 199$/);
    const wide = Object.fromEntries(Array.from({ length: 13 }, (_, n) => [`c${n}`, n]));
    expect(renderBlock([wide]).split('\n')[2]).toBe('| 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 |');
  });
});
