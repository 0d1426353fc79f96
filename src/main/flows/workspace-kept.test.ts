import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createBoundWorkspaces, template } from '../../testing/bound-workspace';
import { must } from '../../testing/stored-session';
import { composeStoredWorkspace } from '../compose/workspace';
import { checkWorkspace } from '../../core/workspace/create-workspace';
import { materialize } from '../../core/workspace/step-content';

const { start, end } = createBoundWorkspaces();
afterEach(end);

describe('stored workspace snapshots', () => {
  it.each([
    ['one bit of it is another', (file: string) => flip(file)],
    ['it was cut short', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 900))],
    ['it was emptied', (file: string) => writeFileSync(file, '')],
    [
      'it holds other words, well formed',
      (file: string) => writeFileSync(file, '{"schema":"agent.workspace.snapshot/1","files":{}}'),
    ],
  ])('[P3-Z-abuse] when %s, are not used by any process, and a sync repairs them', async (_name, harm) => {
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
  });

  it('[P3-Z-abuse] that new sessions cannot use, and an invalid list of workspaces, are reported by doctor', async () => {
    const { app, project, home, kept } = await start();
    /** Reads the state as another process sees it. */
    const check = () => {
      const { folders, snapshots } = must(composeStoredWorkspace({ home, seeds: resolve('seeds') }));
      return checkWorkspace({ log: app.log, folders, snapshots }, project);
    };
    expect(check()).toEqual({ ok: true, value: 'the built-in workspace' });
    for (const call of [{ op: 'sync', workspace: 'own' }, { op: 'apply' }] as const)
      must(await app.workspace.call({ ...call, project }));
    expect(must(check())).toMatch(/^own, version /);
    rmSync(kept());
    expect(check()).toMatchObject({
      error: { code: 'NOT_FOUND', hint: expect.stringMatching(/^Sync the workspace again/) as unknown },
    });
    writeFileSync(join(home, 'workspaces.json'), '{');
    expect(check()).toMatchObject({ error: { kind: 'CONFIG', code: 'INVALID' } });
  });

  it('[P3-Z-abuse] are not adopted from memory after they were collected; a sync of the same files stores them again', async () => {
    const { active, kept, call, state } = await start();
    rmSync(kept());
    const gone = { kind: 'HOST', code: 'NOT_FOUND' };
    expect(await call({ op: 'sync', version: active })).toMatchObject({ error: gone });
    expect(await call({ op: 'rollback', hash: active })).toMatchObject({ error: gone });
    expect(state().workspace).toMatchObject({ active, binding: { version: 'latest' } });
    must(await call({ op: 'sync', version: 'latest' }));
    expect(existsSync(kept())).toBe(true);
    expect(state().workspace).toMatchObject({ active, pending: null, sync: { status: 'unchanged' } });
  });

  it('[P3-Z-abuse] are not collected while one is pending and another waits', async () => {
    const { write, call, state, kept } = await start();
    write(template, 'Asked for.');
    must(await call({ op: 'sync' }));
    must(await call({ op: 'apply', when: 'next_run' }));
    write(template, 'Pending.');
    must(await call({ op: 'sync' }));
    const { waiting, pending, active } = state().workspace;
    const { removed } = must(await call({ op: 'gc' }));
    expect(removed).toEqual([]);
    for (const hash of [waiting?.hash, pending?.hash, active ?? ''])
      expect(existsSync(kept(hash))).toBe(true);
  });

  it('[P3-Z-abuse] that are missing make a step fail with what to do, and nothing replaces them', async () => {
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
