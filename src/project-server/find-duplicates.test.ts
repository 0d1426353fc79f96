import { afterEach, describe, expect, it } from 'vitest';
import { runProjectTool } from '../testing/run-project-tool';
import { createTempTree, type TempTree } from '../testing/temp-tree';
import { findDuplicates } from './find-duplicates';

interface Page {
  groups: { size: number; copies: number; paths: string[] }[];
  files: number;
  truncated: boolean;
  nextCursor?: string;
  failed: { path: string }[];
}

let tree: TempTree;
afterEach(() => tree.remove());

async function find(input: Readonly<Record<string, unknown>> = {}): Promise<Page> {
  const result = await runProjectTool(findDuplicates, tree.root, input);
  if (!result.ok) throw new Error(result.error.message);
  return result.value as Page;
}

describe('find_duplicates', () => {
  it('[PRJ-duplicates] groups equal content, not equal sizes, the largest files first', async () => {
    tree = createTempTree({
      'b/one': Buffer.from('same'),
      'a/two': Buffer.from('same'),
      other: Buffer.from('sane'),
      big1: Buffer.alloc(2_000_000, 'x'),
      big2: Buffer.alloc(2_000_000, 'x'),
      big3: Buffer.alloc(2_000_000, 'y'),
      empty1: Buffer.alloc(0),
      empty2: Buffer.alloc(0),
      '.gitignore': Buffer.from('ignored\n'),
      'ignored/same': Buffer.from('same'),
    });
    const { groups, files, truncated } = await find();
    expect(groups.map(({ size, copies, paths }) => [size, copies, paths])).toEqual([
      [2_000_000, 2, ['big1', 'big2']],
      [4, 2, ['a/two', 'b/one']],
      [0, 2, ['empty1', 'empty2']],
    ]);
    expect({ files, truncated }).toEqual({ files: 9, truncated: false });
    expect((await find({ path: 'b' })).groups).toEqual([]);
  });

  it('[PRJ-duplicates] returns a result that grows with the duplicates, not with the files', async () => {
    const numbers = Array.from({ length: 1_000 }, (_, at) => String(at).padStart(6, '0'));
    const files = numbers.map((number, at) => [
      `d/file${number}`,
      Buffer.from(at % 400 === 0 ? 'copies' : number),
    ]);
    tree = createTempTree(Object.fromEntries(files) as Record<string, Buffer>);
    const page = await find();
    expect(page).toMatchObject({ files: 1_000, groups: [{ size: 6, copies: 3 }] });
    expect(JSON.stringify(page).length).toBeLessThan(1_000);
  });

  it('[PRJ-duplicates] continues below the last size of a page, and names at most 1,000 paths of a group', async () => {
    const same = Object.fromEntries(Array.from({ length: 1_200 }, (_, at) => [`c/${at}`, Buffer.from('c')]));
    tree = createTempTree({ ...same, a: Buffer.from('aa'), b: Buffer.from('aa') });
    const [, second] = (await find()).groups;
    expect([second?.copies, second?.paths.length]).toEqual([1_200, 1_000]);
    const rest = await find({ cursor: '2:~' });
    expect(rest.groups.map(({ size }) => size)).toEqual([1]);
    const wrong = await runProjectTool(findDuplicates, tree.root, { cursor: 'x' });
    expect(wrong).toMatchObject({ ok: false, error: { kind: 'TOOL', code: 'INVALID_ARGUMENTS' } });
  });

  it('[PRJ-duplicates] ends a page within a size, so that a page stays small, and repeats and loses no group', async () => {
    const folder = 'a'.repeat(200);
    const deep = [folder, folder, folder].join('/');
    const pairs = Array.from({ length: 3_000 }, (_, at) => String(at).padStart(6, '0'));
    tree = createTempTree(
      Object.fromEntries(
        pairs.flatMap((number) => [
          [`${deep}/${number}`, Buffer.from(number)],
          [`${deep}/${number}copy`, Buffer.from(number)],
        ]),
      ),
    );
    const pages = [await find()];
    for (let last = pages[0]; last?.nextCursor; pages.push(last))
      last = await find({ cursor: last.nextCursor });
    expect(pages.length).toBe(2);
    expect(pages.every((page) => JSON.stringify(page).length < 3_500_000)).toBe(true);
    const paths = pages.flatMap(({ groups }) => groups.map((group) => group.paths[0]));
    expect(new Set(paths).size).toBe(3_000);
    expect(paths).toHaveLength(3_000);
  });
});
