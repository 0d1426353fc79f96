import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { must } from '../../../testing/stored-session';
import { createTempTree } from '../../../testing/temp-tree';
import { tinyGguf } from '../../../testing/tiny-gguf';
import { createModelFolder } from './model-folder';

it.skipIf(process.platform === 'win32')(
  '[STO-private] an imported model is private to the owner, whatever its source allows',
  async () => {
    const tree = createTempTree({ 'tiny.gguf': tinyGguf() });
    chmodSync(join(tree.root, 'tiny.gguf'), 0o644);
    const models = createModelFolder(tree.root);
    const { name } = must(await models.add(join(tree.root, 'tiny.gguf')));
    expect(statSync(models.fileOf(name)).mode & 0o777).toBe(0o600);
    expect(statSync(models.folder).mode & 0o777).toBe(0o700);
    tree.remove();
  },
);
