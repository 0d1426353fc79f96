import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { countOldNames } from './count-names.mjs';
import { arrowsOf, brokenLayer, coreFoldersInCycles, folderOf } from './folder-order.mjs';
import { measureTable, splitMeasures, withMeasures } from './measure-table.mjs';
import { measuresOf } from './measures.mjs';
import { fromRoot } from './paths.mjs';
import { countImporters, readProductImports, readSyntax, resolveImport } from './source-graph.mjs';
import { straysOf, walkProblems } from './walks.mjs';

/**
 * @param {string} path
 * @param {string[]} [imports]
 * @param {Partial<import('./source-graph.mjs').SourceFile>} [more]
 * @returns {import('./source-graph.mjs').SourceFile}
 */
const file = (path, imports = [], more = {}) => ({
  path,
  imports,
  lines: 1,
  kind: 'product',
  identifiers: [],
  members: [],
  texts: [],
  groupings: 0,
  restTuples: 0,
  ...more,
});

describe('the source graph', () => {
  it('resolves relative and shared imports, and nothing else', () => {
    const known = new Set(['src/main/a.ts', 'src/main/view.tsx', 'src/shared/result.ts']);
    const from = 'src/main/ipc/b.ts';
    const names = ['../a', '../view', '#shared/result', '../a?raw', 'zod', './gone'];
    expect(names.map((name) => resolveImport(from, name, known))).toEqual([
      'src/main/a.ts',
      'src/main/view.tsx',
      'src/shared/result.ts',
      'src/main/a.ts',
      undefined,
      undefined,
    ]);
  });
  it('reads identifiers, long texts and groupings', () => {
    const text =
      'const f = (...[a]: readonly [number]) => ({ ...{ a }, ...a, t: "one two three four", u: "two words" });';
    const { identifiers, members, texts, groupings, restTuples } = readSyntax('x.ts', text);
    expect(members).toEqual(['a', 't', 'u']);
    expect(identifiers.filter((name) => name === 'a')).toHaveLength(3);
    expect([texts, groupings, restTuples]).toEqual([['one two three four'], 1, 1]);
  });
  it('counts the files that import a file', () => {
    const counts = countImporters([file('a', ['c']), file('b', ['c']), file('c')]);
    expect([...counts]).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 2],
    ]);
  });
});

describe('the order of the folders', () => {
  /** @param {string} from @param {string} to */
  const upward = (from, to) => arrowsOf([file(from, [to])]).map(brokenLayer);
  it('knows a core folder in main and in its own place', () => {
    const files = [
      'src/main/agent/x.ts',
      'src/core/agent/x.ts',
      'src/main/ipc/x.ts',
      'src/main/x.ts',
      'src/shared/x.ts',
    ];
    expect(files.map(folderOf)).toEqual(['agent', 'agent', 'main/ipc', 'main', undefined]);
  });
  it.each([
    ['src/core/agent/a.ts', 'src/core/session/b.ts', 'main'],
    ['src/core/tools/a.ts', 'src/main/cli/b.ts', 'main'],
    ['src/main/adapters/mcp/a.ts', 'src/main/app.ts', 'main'],
    ['src/renderer/ui/a.tsx', 'src/renderer/store/b.ts', 'renderer'],
    ['src/core/workflows/a.ts', 'src/core/control-plane/b.ts', undefined],
    ['src/main/ipc/a.ts', 'src/main/app.ts', undefined],
    ['src/renderer/app/a.tsx', 'src/renderer/features/run/b.tsx', undefined],
  ])('judges an import of %s from %s', (from, to, layer) => expect(upward(from, to)).toEqual([layer]));
  it('finds the folders of a cycle, however long', () => {
    const cycle = [
      file('src/main/agent/a.ts', ['src/main/session/b.ts']),
      file('src/main/session/b.ts', ['src/main/tools/c.ts', 'src/main/workspace/d.ts']),
      file('src/main/workspace/d.ts', ['src/main/agent/a.ts']),
    ];
    expect(coreFoldersInCycles(arrowsOf(cycle))).toEqual(['agent', 'session', 'workspace']);
  });
});

it('names the files of a walk that no earlier file imports', () => {
  const imports = new Map([
    ['compose', ['a', 'b']],
    ['a', ['src/main/ports/llm.ts']],
    ['b', ['c']],
    ['c', []],
    ['d', ['src/main/ports/llm.ts']],
    ['e', []],
  ]);
  expect(straysOf(['a', 'b', 'c', 'd', 'e'], imports)).toEqual(['e']);
});

it('names missing files of a walk', () => {
  expect(walkProblems(['a', 'b'], new Map([['a', []]]))).toEqual([
    'scripts/lib/walks.json names b, which does not exist.',
  ]);
});

it('keeps the walks through the code valid', () => {
  /** @type {Record<string, string[]>} */
  const walks = JSON.parse(fs.readFileSync(fromRoot('scripts/lib/walks.json'), 'utf8'));
  const imports = readProductImports();
  expect(Object.values(walks).flatMap((walk) => walkProblems(walk, imports))).toEqual([]);
});

it('counts old names by word, prefix, suffix, text and file, and never a new name', () => {
  const product = file('src/main/run-words.ts', [], {
    identifiers: ['LineDesk', 'deskOf', 'desktop', 'MOST_ROWS', 'NodeEnd', 'end', 'keepLocal', 'held'],
    texts: ['The run goes on for now.'],
  });
  const test = file('src/main/x.test.ts', [], { kind: 'test', identifiers: ['createRig', 'held'] });
  const names = {
    'word desk': 'role',
    'prefix most': 'max…',
    'suffix End': '…Outcome',
    'word keep': 'store',
    held: 'paused',
  };
  const strings = {
    'text goes on': 'continue',
    'file -words': '-labels',
    'test word rig': 'fixture',
    mine: 'keepLocal',
  };
  expect(countOldNames([product, test], { names, strings }, []).map(({ uses }) => uses)).toEqual([
    2, 1, 1, 0, 1, 1, 1, 1, 0,
  ]);
});

/** @type {import('./count-names.mjs').StoredName[]} */
const storedNames = JSON.parse(fs.readFileSync(fromRoot('scripts/lib/stored-names.json'), 'utf8'));

it('excludes exactly the members that a stored name explains', () => {
  const members = ['said', 'said', 'held'];
  const identifiers = [...members, 'said'];
  const files = ['src/a.ts', 'src/b.ts'].map((path) => file(path, [], { identifiers, members }));
  const stored = [{ name: 'said', contract: 'src/a.ts', reason: 'An event.', files: ['src/a.ts'] }];
  const rows = countOldNames(files, { names: { said: 'message', held: 'paused' } }, stored);
  expect(rows.map(({ uses }) => uses)).toEqual([4, 2]);
});

it.each(storedNames)('finds the stored name $name in each file that is listed for it', (stored) => {
  const membersOf = (/** @type {string} */ path) =>
    readSyntax(path, fs.readFileSync(fromRoot(path), 'utf8')).members;
  expect(stored.files.filter((path) => !membersOf(path).includes(stored.name))).toEqual([]);
  expect(membersOf(stored.contract)).toContain(stored.name);
  expect(stored.reason).toMatch(/[.]$/);
});

describe('the table of measures in ARCHITECTURE.md', () => {
  const { measures } = measuresOf([], { names: {}, stored: [], walks: { ask: [], goal: [] } });
  it('has the measures that the command writes, in their order', () => {
    const architecture = fs.readFileSync(fromRoot('ARCHITECTURE.md'), 'utf8');
    const shape = (/** @type {string} */ table) =>
      table
        .split('\n')
        .slice(2)
        .map((row) => row.split('|').map((cell) => cell.trim()))
        .map((cells) => [cells[1], cells[3]]);
    const expected = measureTable(measures.filter(({ goal }) => goal !== undefined));
    expect(shape(splitMeasures(architecture).table)).toEqual(shape(expected));
  });
  it('is replaced as a whole, and the text around it stays', () => {
    const before = 'a\n<!-- measures: npm run measure -- --write -->\nold\n<!-- /measures -->\nb';
    const written = withMeasures(before, [
      { name: 'x', value: 1, goal: '<= 2', met: true },
      { name: 'y', value: 3 },
    ]);
    expect(splitMeasures(written)).toEqual({
      before: 'a\n',
      table: '| measure | now | goal |  |\n| --- | --- | --- | --- |\n| x | 1 | <= 2 | met |',
      after: '\nb',
    });
  });
});
