import { cpSync, mkdirSync, mkdtempSync, readdirSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { canonicalJson } from '#shared/json';
import { must } from '../../testing/stored-session';
import { createWorkspaceFolder } from '../adapters/workspace/workspace-folder';
import { composeStoredWorkspace } from '../compose/workspace';
import { snapshotHash } from '../../core/workspace/read-snapshot';
import { createWorkspaceReader } from '../../core/workspace/sync-workspace';
import { workspaceLimits } from '../../core/workspace/workspace-limits';

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

/** Reads a folder once; `again` reads it with a new reader that knows the earlier result. */
async function readOnce(prepare: (root: string) => void = () => undefined) {
  const home = mkdtempSync(join(tmpdir(), 'patina-sync-'));
  homes.push(home);
  const project = join(home, 'project');
  const root = join(project, '.patina', 'workspace');
  mkdirSync(root, { recursive: true });
  cpSync(resolve('seeds/workspace'), root, { recursive: true });
  prepare(root);
  const stored = must(composeStoredWorkspace({ home, seeds: resolve('seeds') }));
  const target = { workspace: 'default', version: 'latest', project } as const;
  const known = must(await stored.reader.find({ ...target, known: null }));
  return {
    known,
    write: (path: string, text: string) => writeFileSync(join(root, path), text),
    kept: () => readdirSync(join(home, 'workspace-snapshots')).length,
    folderOf: { root, stored },
    again: () => createWorkspaceReader(stored).find({ ...target, known }),
  };
}

describe('a sync compared with the stored snapshot', () => {
  it('[P3-Z-same] recognises the same files, and stores nothing', async () => {
    const { again, known, kept } = await readOnce();
    const before = kept();
    expect(must(await again())).toBe(known);
    expect(kept()).toBe(before);
  });

  it('[P3-Z-same] notices one changed byte of any file, and a removed file', async () => {
    const { again, known, write } = await readOnce();
    write('prompts/templates/system.base.md', 'Other words.');
    const other = must(await again());
    expect(other).not.toBe(known);
    write('prompts/packs/concise.json', '{');
    expect(await again()).toMatchObject({ error: { problems: [{ file: 'prompts/packs/concise.json' }] } });
  });

  it('[P3-Z-same] notices a file that is newly named', async () => {
    const { again, known, write } = await readOnce();
    write('context/docs/new.md', 'New.');
    expect(must(await again())).toBe(known);
    write(
      'prompts/packs/concise.json',
      JSON.stringify({ id: 'concise', templates: [], context: ['context/docs/new.md'] }),
    );
    expect(must(await again())).not.toBe(known);
  });

  it('[P3-Z-same] reads a folder without an index each time, because a tool may have been added', async () => {
    const { again, known, write } = await readOnce((root) => {
      rmSync(join(root, 'agent.workspace.json'));
      writeFileSync(join(root, 'tools/one.json'), JSON.stringify({ name: 'agent_one' }));
    });
    write('tools/two.json', JSON.stringify({ name: 'agent_two' }));
    expect(must(await again())).not.toBe(known);
  });

  it('[P3-Z-same] notices a file that changes while it is compared', async () => {
    const { known, folderOf } = await readOnce();
    const files = must(folderOf.stored.snapshots.get(known)).files;
    let changes = 0;
    const folder = createWorkspaceFolder({
      root: folderOf.root,
      limits: workspaceLimits,
      readPart: (handle, into, from) => {
        const count = readSync(handle, into, from, into.length - from, from);
        if (changes === 0)
          writeFileSync(join(folderOf.root, files[0]?.path ?? ''), `Change ${(changes += 1)}.`);
        return count;
      },
    });
    expect(await folder.same(files)).toBeNull();
    expect(changes).toBe(1);
  });

  it('[P3-Z-same] names a snapshot by the canonical JSON of its files, whatever their order', () => {
    const paths = fc.uniqueArray(fc.string({ minLength: 1 }).filter((path) => path !== '__proto__'));
    fc.assert(
      fc.property(paths, (found) => {
        const files = Object.fromEntries(found.map((path) => [path, `hash of ${path.length}`]));
        const text = canonicalJson({ schema: 'agent.workspace.snapshot/1', files });
        expect(
          snapshotHash(
            found,
            (path) => files[path] ?? '',
            (said) => said,
          ),
        ).toBe(text);
      }),
    );
  });
});
