import { statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { must } from '../../../testing/stored-session';
import { createTempTree } from '../../../testing/temp-tree';
import { createServerRegistry } from './registry-store';

it.skipIf(process.platform === 'win32')(
  '[STO-private] the registry of an added server is private to the owner, as is its folder',
  () => {
    const tree = createTempTree({ 'seed.json': '{ "mcpServers": {} }' });
    const seed = path.join(tree.root, 'seed.json');
    const registry = createServerRegistry({ home: tree.root, override: undefined, seed });
    must(registry.put({ other: { command: 'y' } }));
    expect(statSync(registry.file).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(registry.file)).mode & 0o777).toBe(0o700);
    tree.remove();
  },
);
