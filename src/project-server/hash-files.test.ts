import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runProjectTool } from '../testing/run-project-tool';
import { createTempTree, type TempTree } from '../testing/temp-tree';
import { hashFiles } from './hash-files';

interface Hashes {
  hashes: { path: string; sha256: string; size: number }[];
  failed: { path: string; reason: string }[];
}

let tree: TempTree;
afterEach(() => tree.remove());

async function hash(paths: readonly string[]): Promise<Hashes> {
  const result = await runProjectTool(hashFiles, tree.root, { paths });
  if (!result.ok) throw new Error(result.error.message);
  return result.value as Hashes;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('hash_files', () => {
  it('hashes bytes, not text: empty, binary, and larger than one read, in the requested order', async () => {
    const large = Buffer.alloc(3_500_001, 'abc\0');
    const contents = {
      'z.txt': Buffer.from('z'),
      'a/bin': Buffer.from([0, 255, 13, 10]),
      none: Buffer.alloc(0),
      large,
    };
    tree = createTempTree(contents);
    const order = ['z.txt', 'large', 'none', 'a/bin'] as const;
    const renamed = order.map((name) => ({
      path: name,
      bytes: name === 'a/bin' ? contents['a/bin'] : contents[name],
    }));
    const { hashes, failed } = await hash(order);
    expect(failed).toEqual([]);
    expect(hashes).toEqual(
      renamed.map(({ path: name, bytes }) => ({ path: name, sha256: sha256(bytes), size: bytes.length })),
    );
  });

  it('reports a missing path, a folder, a pipe or a path outside, and still hashes the rest', async () => {
    const outside = createTempTree({ 'secret.txt': 's' });
    tree = createTempTree({ 'ok.txt': 'ok', 'dir/x': 'x' });
    symlinkSync(path.join(outside.root, 'secret.txt'), path.join(tree.root, 'link-out'));
    symlinkSync(outside.root, path.join(tree.root, 'folder-out'));
    symlinkSync('ok.txt', path.join(tree.root, 'link-in'));
    execFileSync('mkfifo', [path.join(tree.root, 'pipe')]);
    const bad = ['gone', 'dir', 'pipe', 'link-out', 'folder-out/secret.txt', '../x', 'a\0b', '', 'ok.txt/x'];
    const { hashes, failed } = await hash([...bad, 'ok.txt', './ok.txt', 'link-in']);
    expect(hashes.map((row) => row.path)).toEqual(['ok.txt', './ok.txt', 'link-in']);
    expect(new Set(hashes.map((row) => row.sha256))).toEqual(new Set([sha256(Buffer.from('ok'))]));
    expect(failed.map((row) => row.path)).toEqual(bad);
    const reason = Object.fromEntries(failed.map((row) => [row.path, row.reason]));
    expect(reason.gone).toContain('not found');
    expect(reason.pipe).toContain('not a regular file');
    expect(reason['link-out']).toContain('outside the project folder');
    expect(reason['folder-out/secret.txt']).toContain('outside the project folder');
    outside.remove();
  });

  it('reports a file without permission (as root nothing is unreadable, and the file is hashed)', async () => {
    tree = createTempTree({ 'closed.txt': 'c' });
    chmodSync(path.join(tree.root, 'closed.txt'), 0);
    const { hashes, failed } = await hash(['closed.txt']);
    const root = process.getuid?.() === 0;
    expect([hashes.length, failed.length]).toEqual(root ? [1, 0] : [0, 1]);
  });

  it('stops when the call is cancelled', async () => {
    tree = createTempTree({ large: Buffer.alloc(2_000_000) });
    const stop = AbortSignal.abort();
    await expect(runProjectTool(hashFiles, tree.root, { paths: ['large'] }, stop)).rejects.toThrow();
  });
});
