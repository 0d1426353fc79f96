import { afterEach, describe, expect, it } from 'vitest';
import { runProjectTool } from '../testing/run-project-tool';
import { createTempTree, type TempTree } from '../testing/temp-tree';
import { readText } from './read-text';

let tree: TempTree;
afterEach(() => tree.remove());

const read = (args: Record<string, unknown>) => runProjectTool(readText, tree.root, { path: 'f', ...args });

describe('read_text', () => {
  it.each([
    [{}, { text: 'one\r\ntwo\nthree', from: 1, to: 3, totalLines: 3, size: 14, truncated: false }],
    [
      { from: 2, to: 2 },
      { text: 'two\n', from: 2, to: 2, totalLines: 3 },
    ],
    [
      { from: 3, to: 99 },
      { text: 'three', from: 3, to: 3, truncated: false },
    ],
    [{ from: 9 }, { text: '', from: 9, to: 8, totalLines: 3 }],
    [{ maxBytes: 9 }, { text: 'one\r\ntwo\n', to: 2, truncated: true }],
    [{ maxBytes: 8 }, { text: 'one\r\n', to: 1, truncated: true }],
  ])('%j gives %j', async (args, expected) => {
    tree = createTempTree({ f: 'one\r\ntwo\nthree' });
    expect(await read(args)).toMatchObject({ ok: true, value: expected });
  });

  it('returns no lines for an empty file', async () => {
    tree = createTempTree({ f: '' });
    expect(await read({})).toMatchObject({ ok: true, value: { text: '', from: 1, to: 0, totalLines: 0 } });
  });

  it.each([
    ['a binary file', { f: Buffer.from('a\0b') }, {}, 'is a binary file'],
    ['text that is not UTF-8', { f: Buffer.from([0x61, 0xe9, 0x0a]) }, {}, 'is not UTF-8 text'],
    ['a line longer than maxBytes', { f: 'x'.repeat(100) }, { maxBytes: 50 }, 'longer than maxBytes'],
    ['lines in the wrong order', { f: 'x' }, { from: 2, to: 1 }, 'before from'],
    ['a folder', { 'f/x': '' }, {}, 'a folder'],
  ])('refuses %s', async (_what, files, args, why) => {
    tree = createTempTree(files);
    const result = await read(args);
    expect(result).toMatchObject({ ok: false, error: { kind: 'TOOL', code: 'INVALID_ARGUMENTS' } });
    expect(result.ok ? '' : result.error.message).toContain(why);
  });

  it('reads lines far into a file larger than one read', async () => {
    tree = createTempTree({
      f: Array.from({ length: 200_000 }, (_, index) => `line ${index + 1}`).join('\n'),
    });
    expect(await read({ from: 150_001, to: 150_002 })).toMatchObject({
      ok: true,
      value: { text: 'line 150001\nline 150002\n', totalLines: 200_000 },
    });
  });
});
