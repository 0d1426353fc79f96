import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createBoundWorkspaces } from '../testing/bound-workspace';
import { must } from '../testing/stored-session';
import { composeStoredWorkspace } from './compose-workspace';
import { materialize } from './workspace/step-content';

const { start, end } = createBoundWorkspaces();
afterEach(end);

describe('what happens to the snapshots that are kept', () => {
  it.each([
    ['one bit of it is another', (file: string) => flip(file)],
    ['it was cut short', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 900))],
    ['it was emptied', (file: string) => writeFileSync(file, '')],
    [
      'it holds other words, well formed',
      (file: string) => writeFileSync(file, '{"schema":"agent.workspace.snapshot/1","files":{}}'),
    ],
  ])(
    '[P3-Z-abuse] when %s, no process that reads it takes it for the snapshot, and a sync mends it',
    async (_name, harm) => {
      const { home, project, active, kept, call } = await start();
      harm(kept());
      const other = must(composeStoredWorkspace({ home, seeds: resolve('seeds') }));
      expect(other.snapshots.get(active)).toMatchObject({
        error: { kind: 'HOST', code: 'STORAGE', message: expect.stringContaining('damaged') as unknown },
      });
      const target = { workspace: 'own', version: 'latest', project } as const;
      expect(must(await other.reader.find({ ...target, known: active }))).toBe(active);
      const third = must(composeStoredWorkspace({ home, seeds: resolve('seeds') }));
      expect(must(third.snapshots.get(active)).hash).toBe(active);
      expect(must(await call({ op: 'sync' })).state.sync?.status).toBe('unchanged');
    },
  );

  it('[P3-Z-abuse] when it is gone, a step is refused with what to do; it is not made from something else', async () => {
    const { home, kept, state } = await start();
    rmSync(kept());
    const other = must(composeStoredWorkspace({ home, seeds: resolve('seeds') }));
    expect(materialize(other.snapshots, state())).toMatchObject({
      error: { kind: 'HOST', code: 'NOT_FOUND', hint: expect.stringContaining('Sync') as unknown },
    });
  });
});

function flip(file: string): void {
  const bytes = readFileSync(file);
  const at = bytes.indexOf('The good text.');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}
