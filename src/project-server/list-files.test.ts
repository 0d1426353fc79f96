import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { runProjectTool } from '../testing/run-project-tool';
import { createTempTree, type TempTree } from '../testing/temp-tree';
import { listFiles } from './list-files';

interface Listing {
  files: { path: string; size: number; mtimeMs: number }[];
  total: number;
  truncated: boolean;
  nextCursor?: string;
  skipped: { ignored: number; links: number; special: number };
  failed: { path: string; reason: string }[];
}

const trees: TempTree[] = [];

function tree(files: Readonly<Record<string, string | Uint8Array>>): TempTree {
  const made = createTempTree(files);
  trees.push(made);
  return made;
}

async function list(root: string, args: Record<string, unknown> = {}): Promise<Listing> {
  const result = await runProjectTool(listFiles, root, args);
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value as Listing;
}

const paths = (listing: Listing): string[] => listing.files.map((file) => file.path);

afterEach(() => {
  for (const made of trees.splice(0)) made.remove();
});

describe('list_files', () => {
  it('gives exact sizes and times, sorted by code unit whatever the locale', async () => {
    const { root } = tree({ 'b.txt': 'xx', 'B.txt': '', 'a/é.txt': 'é', 'a.txt': new Uint8Array(70_000) });
    const listing = await list(root);
    expect(listing.files.map(({ path: name, size }) => [name, size])).toEqual([
      ['B.txt', 0],
      ['a.txt', 70_000],
      ['a/é.txt', 2],
      ['b.txt', 2],
    ]);
    expect(listing.files.every((file) => Math.abs(Date.now() - file.mtimeMs) < 60_000)).toBe(true);
    expect(listing).toMatchObject({ total: 4, truncated: false, failed: [] });
  });

  it('returns every file exactly once over pages, also when the tree changes between them', async () => {
    const names = Array.from({ length: 57 }, (_, index) => `d${index % 7}/f${index}.txt`);
    const made = tree(Object.fromEntries(names.map((name) => [name, name])));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(made.root, { limit: 10, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...paths(page));
      cursor = page.nextCursor;
      expect(page.truncated).toBe(cursor !== undefined);
      made.write({ 'a-first.txt': 'sorted before every page still to come' });
    } while (cursor !== undefined);
    expect(seen).toEqual([...names].sort());
  });

  it('follows no link, inside or outside, and counts the skipped ones', async () => {
    const outside = tree({ 'secret.txt': 's' });
    const { root } = tree({ 'real/a.txt': 'a' });
    symlinkSync(outside.root, path.join(root, 'out'));
    symlinkSync(path.join(root, 'real'), path.join(root, 'in'));
    symlinkSync(root, path.join(root, 'real', 'loop'));
    const listing = await list(root);
    expect(paths(listing)).toEqual(['real/a.txt']);
    expect(listing.skipped.links).toBe(3);
  });

  it('refuses a start that leads outside through a link', async () => {
    const outside = tree({ 'secret.txt': 's' });
    const { root } = tree({ 'a.txt': 'a' });
    symlinkSync(outside.root, path.join(root, 'out'));
    const result = await runProjectTool(listFiles, root, { path: 'out' });
    expect(result).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
    await expect(list(root, { path: 'nowhere' })).rejects.toThrow('NOT_FOUND');
    await expect(list(root, { path: 'a.txt' })).rejects.toThrow('is a file');
  });

  it('omits .git and .patina, and with includeIgnored nothing else', async () => {
    const { root } = tree({
      '.git/config': '',
      '.patina/artifacts/x': '',
      '.gitignore': 'out/\n',
      'out/x.js': '',
      '.env': '',
    });
    expect(paths(await list(root))).toEqual(['.env', '.gitignore']);
    expect(paths(await list(root, { includeIgnored: true }))).toEqual(['.env', '.gitignore', 'out/x.js']);
    expect(paths(await list(root, { path: 'out' }))).toEqual(['out/x.js']);
  });

  it.each([
    ['*.ts', ['a.ts', 'src/.b.ts', 'src/x/c.ts']],
    ['src/*.ts', ['src/.b.ts']],
    ['**/*.{js,ts}', ['a.ts', 'src/.b.ts', 'src/d.js', 'src/x/c.ts']],
    ['src/**', ['src/.b.ts', 'src/d.js', 'src/x/c.ts']],
  ])('the glob %j matches %j', async (glob, expected) => {
    const { root } = tree({ 'a.ts': '', 'src/.b.ts': '', 'src/x/c.ts': '', 'src/d.js': '' });
    expect(paths(await list(root, { glob }))).toEqual(expected);
  });

  it('is not slowed down by a glob built to backtrack', async () => {
    const { root } = tree({ ['a'.repeat(200)]: '' });
    const result = await runProjectTool(listFiles, root, { glob: `${'*a'.repeat(60)}b` });
    expect(result.ok ? 'answered' : result.error.code).toMatch(/answered|INVALID_ARGUMENTS/);
  });

  it('stops when the call is cancelled', async () => {
    const { root } = tree({ 'a.txt': '' });
    const stopped = AbortSignal.abort();
    await expect(runProjectTool(listFiles, root, {}, stopped)).rejects.toThrow();
  });
});

const SEGMENTS = ['a', 'b', 'lib', 'x.log', 'y.txt', 'keep.log'];
const RULES = [
  '*.log',
  '!keep.log',
  'lib/',
  '/a',
  'a/b',
  '**/y.txt',
  'b/**',
  '!b/keep.log',
  '# note',
  '\\#x',
  'x.*',
  '!x.log',
  '*',
  '!*/',
];

describe('list_files and git agree on ignored files', () => {
  const anyPath = fc
    .array(fc.constantFrom(...SEGMENTS), { minLength: 1, maxLength: 4 })
    .map((parts) => [...parts.map((part) => part.replace('.', '-')), 'f.txt', ...parts.slice(-1)])
    .chain((parts) =>
      fc.constantFrom(
        parts
          .slice(0, -2)
          .concat(parts.at(-1) as string)
          .join('/'),
      ),
    );
  const anyRules = fc
    .array(fc.constantFrom(...RULES), { minLength: 1, maxLength: 4 })
    .map((rules) => rules.join('\n'));
  const anyTree = fc.record({
    files: fc.uniqueArray(anyPath, { minLength: 3, maxLength: 12 }),
    root: anyRules,
    nested: fc.option(fc.record({ folder: fc.constantFrom('a', 'b', 'lib'), rules: anyRules })),
  });

  it('for random trees and rules, nested files included', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(anyTree, async ({ files, root: rules, nested }) => {
        const made = tree({ '.gitignore': rules });
        if (nested !== null) made.write({ [`${nested.folder}/.gitignore`]: nested.rules });
        for (const file of files) writeUnlessTaken(made, file);
        const git = gitListing(made.root);
        const ours = paths(await list(made.root));
        made.remove();
        expect(ours).toEqual(git);
      }),
      { numRuns: 60, seed: 20 },
    );
  });
});

/**
 * A random path may need a folder where a file already exists; git and our walk then see the same smaller
 * tree.
 */
function writeUnlessTaken(made: TempTree, file: string): void {
  try {
    mkdirSync(path.join(made.root, path.dirname(file)), { recursive: true });
    made.write({ [file]: '' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!['EEXIST', 'ENOTDIR', 'EISDIR'].includes(code ?? '')) throw error;
  }
}

function gitListing(root: string): string[] {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  git('init', '-q');
  const listed = git('-c', 'core.excludesFile=', 'ls-files', '-z', '--others', '--exclude-standard');
  return listed
    .split('\0')
    .filter((name) => name !== '')
    .sort();
}
