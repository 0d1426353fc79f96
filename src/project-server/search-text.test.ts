import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { runProjectTool } from '../testing/run-project-tool';
import { createTempTree, type TempTree } from '../testing/temp-tree';
import { searchText } from './search-text';

interface Found {
  matches: {
    path: string;
    line: number;
    column: number;
    text: string;
    before?: string[];
    after?: string[];
  }[];
  counts?: { path: string; matches: number; lines: number; files: number }[];
  totalMatches: number;
  matchingFiles: number;
  filesSearched: number;
  truncated: boolean;
  binary: number;
}

let tree: TempTree;
afterEach(() => tree.remove());

async function search(args: Record<string, unknown>): Promise<Found> {
  const result = await runProjectTool(searchText, tree.root, args);
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value as Found;
}

describe('search_text', () => {
  it('returns line, column and text, and counts omitted matches', async () => {
    tree = createTempTree({
      'a.txt': 'x TODO\r\nTODO TODO\n',
      'b/c.txt': 'no\n\n  TODO',
      'd.bin': Buffer.from('TODO\0'),
    });
    const found = await search({ query: 'TODO', maxMatches: 2, context: 1 });
    expect(found).toMatchObject({
      totalMatches: 4,
      matchingFiles: 2,
      filesSearched: 2,
      truncated: true,
      binary: 1,
    });
    expect(found.matches).toEqual([
      { path: 'a.txt', line: 1, column: 3, text: 'x TODO', before: [], after: ['TODO TODO'] },
      { path: 'a.txt', line: 2, column: 1, text: 'TODO TODO', before: ['x TODO\r'], after: [''] },
    ]);
  });

  it('counts by folder and by file, exactly', async () => {
    tree = createTempTree({
      'a.txt': 'TODO\nFIXME TODO',
      's/b.txt': 'FIXME',
      's/c.txt': 'TODO',
      's/t/d.txt': 'none',
    });
    const query = { query: '\\b(TODO|FIXME)\\b', regex: true, maxMatches: 0 };
    expect((await search({ ...query, countBy: 'folder' })).counts).toEqual([
      { path: '.', matches: 3, lines: 2, files: 1 },
      { path: 's', matches: 2, lines: 2, files: 2 },
    ]);
    expect((await search({ ...query, countBy: 'file' })).counts?.map((row) => row.path)).toEqual([
      'a.txt',
      's/b.txt',
      's/c.txt',
    ]);
  });

  it('reads a query literally by default, also case-insensitively', async () => {
    tree = createTempTree({ 'a.txt': 'a.b A.B axb\n(x' });
    expect((await search({ query: 'a.b' })).totalMatches).toBe(1);
    expect((await search({ query: 'a.b', caseSensitive: false })).totalMatches).toBe(2);
    expect((await search({ query: 'a.b', regex: true })).totalMatches).toBe(2);
    expect((await search({ query: '(x' })).totalMatches).toBe(1);
    await expect(search({ query: '(x', regex: true })).rejects.toThrow('INVALID_ARGUMENTS');
    expect((await search({ query: 'q*', regex: true })).totalMatches).toBe(0);
  });

  it(
    'ends a pattern that would backtrack forever, and answers the next call',
    { timeout: 20_000 },
    async () => {
      tree = createTempTree({ 'a.txt': `${'a'.repeat(60)}b\n` });
      await expect(search({ query: '(a+)+$', regex: true })).rejects.toThrow('takes too long');
      expect((await search({ query: 'a+b', regex: true })).totalMatches).toBe(1);
    },
  );

  it('cuts long lines around the match', async () => {
    tree = createTempTree({ 'a.txt': `${'x'.repeat(5_000)}needle${'y'.repeat(5_000)}` });
    const [match] = (await search({ query: 'needle' })).matches;
    expect(match?.text.length).toBeLessThan(310);
    expect(match?.text).toMatch(/^…x+needley+…$/);
    expect(match?.column).toBe(5_001);
  });

  it('finds the same as a plain count in a file larger than one read', async () => {
    const line = (index: number): string => `line ${index} é ${index % 97 === 0 ? 'TODO' : 'ok'}`;
    const text = Array.from({ length: 120_000 }, (_, index) => line(index)).join('\n');
    tree = createTempTree({ 'large.txt': text });
    const found = await search({ query: 'TODO', maxMatches: 10_000 });
    const expected = text
      .split('\n')
      .flatMap((content, index) => (content.includes('TODO') ? [index + 1] : []));
    expect(found.matches.map((match) => match.line)).toEqual(expected);
    expect(Buffer.byteLength(text)).toBeGreaterThan(1 << 20);
  });

  it('counts as a naive count does, for any content', async () => {
    const word = fc.constantFrom('TODO', 'todo', ' ', '\n', '\r\n', 'TOTODO', 'é', '💚', 'DO');
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 40 }), async (words) => {
        const text = words.join('');
        tree = createTempTree({ 'f.txt': text });
        const found = await search({ query: 'TODO', countBy: 'file' });
        tree.remove();
        expect(found.totalMatches).toBe(text.split('TODO').length - 1);
      }),
      { numRuns: 50, seed: 7 },
    );
  });
});
