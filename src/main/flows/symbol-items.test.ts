import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { AttachOption } from '#shared/context-item';
import { buildEntry } from '../../testing/build-entry';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

const project = mkdtempSync(join(tmpdir(), 'patina-symbols-'));
let harness: MainHarness;
beforeAll(async () => {
  mkdirSync(join(project, 'src'));
  writeFileSync(
    join(project, 'src/rows.ts'),
    '// rows\nexport function readRows(): number {\n  return 1;\n}\n',
  );
  writeFileSync(join(project, 'src/use.ts'), "import { readRows } from './rows';\nreadRows();\n");
  writeFileSync(join(project, 'rows.go'), 'package rows\n\nfunc readRow() int {\n\treturn 1\n}\n');
  harness = await startMain({ project, projectServer: await buildEntry('project-server/index.ts') });
}, 120_000);
afterAll(async () => {
  await harness.close();
  rmSync(project, { recursive: true, force: true });
});

const offered = async (typed: string): Promise<readonly AttachOption[]> => {
  const options = await harness.app.attachOptions(harness.state(), typed);
  return options.filter(({ source }) => source.type === 'symbol');
};

it('[ITEM-symbol] a symbol is offered where the project defines it, and attached with its whole definition', async () => {
  expect(await offered('re')).toEqual([]);
  // The first search may take longer than the menu waits.
  const options = await vi.waitUntil(
    async () => {
      const found = await offered('readr');
      return found.length > 0 && found;
    },
    { timeout: 50_000 },
  );
  // A line that begins a session has the project of new sessions.
  expect(await harness.app.attachOptions(null, 'readr')).toEqual(expect.arrayContaining([...options]));
  expect(options.map(({ name, about }) => [name, about])).toEqual([
    ['readRow', 'rows.go:3'],
    ['readRows', 'src/rows.ts:2'],
  ]);
  const texts = await Promise.all(
    options.map(async ({ source }) => {
      const attached = must(await harness.app.attach({ source, base: project }));
      if (attached.type !== 'attached') throw new Error(attached.why);
      const { kind, ref, hash } = attached.item;
      return [kind, ref, Buffer.from(must(harness.app.readItem(hash))).toString()];
    }),
  );
  expect(texts).toEqual([
    ['text', 'rows.go readRow', 'func readRow() int {\n\treturn 1\n}\n'],
    ['text', 'src/rows.ts readRows', 'export function readRows(): number {\n  return 1;\n}'],
  ]);
  const gone = { type: 'symbol', path: 'src/use.ts', line: 2, name: 'readRows' } as const;
  expect(await harness.app.attach({ source: gone, base: project })).toMatchObject({
    ok: false,
    error: { code: 'NOT_FOUND' },
  });
}, 60_000);
