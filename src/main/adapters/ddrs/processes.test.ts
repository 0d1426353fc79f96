import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { buildEntry } from '../../../testing/build-entry';
import { createTempTree } from '../../../testing/temp-tree';

const processes = 3;
const rounds = 8;

it('[DDR-create] [DDR-doc-atomic] processes that write at the same time share no identifier and lose no chapter', async () => {
  const child = await buildEntry('testing/ddr-child.ts');
  const tree = createTempTree({
    'seeds/tla-catalog.json': '[{"tla":"AGN","title":"Agent"}]',
    'ddrs/AGN-001.md': '---\nid: AGN-001\ntitle: Shared\n---\n',
  });
  const run = () => promisify(execFile)(process.execPath, [child, tree.root, String(rounds)]);
  await Promise.all(Array.from({ length: processes }, run));
  const folder = path.join(tree.root, 'ddrs');
  const documents = readdirSync(folder).filter((name) => name.endsWith('.md'));
  expect(documents).toHaveLength(1 + processes * rounds);
  const shared = readFileSync(path.join(folder, 'AGN-001.md'), 'utf8');
  expect(shared.match(/^## /gm)).toHaveLength(processes * rounds);
  expect(new Set(shared.match(/id: C\d+/g)).size).toBe(processes * rounds);
  expect(readdirSync(folder)).not.toContain('.lock');
  tree.remove();
}, 60_000);
