import { chmodSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createTempTree } from '../../../testing/temp-tree';
import { installPack } from './pack-files';

it.skipIf(process.platform === 'win32')(
  '[STO-private] an installed pack is private to the owner, whatever its source allows',
  async () => {
    const tree = createTempTree({ 'from/pack.json': '{}', 'from/recipes/a.json': '{}' });
    const from = path.join(tree.root, 'from');
    for (const name of ['', 'recipes']) chmodSync(path.join(from, name), 0o755);
    for (const name of ['pack.json', 'recipes/a.json']) chmodSync(path.join(from, name), 0o644);
    const packs = path.join(tree.root, 'packs');
    expect((await installPack(packs, from, 'own')).ok).toBe(true);
    const modes = readdirSync(packs, { recursive: true, encoding: 'utf8' }).map((name) => {
      const { mode } = statSync(path.join(packs, name));
      return [name, (mode & 0o777).toString(8)];
    });
    expect(Object.fromEntries(modes)).toEqual({
      own: '700',
      'own/pack.json': '600',
      'own/recipes': '700',
      'own/recipes/a.json': '600',
    });
    expect(statSync(packs).mode & 0o077).toBe(0);
    tree.remove();
  },
);
