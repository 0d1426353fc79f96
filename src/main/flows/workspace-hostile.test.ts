import { chmodSync, cpSync, mkdtempSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHostileWorkspace, template, type HostileWorkspace } from '../../testing/hostile-workspace';
import { hostileContents } from '../../testing/hostile-workspace-contents';
import { hostileFiles } from '../../testing/hostile-workspace-files';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';
import { createWorkspaceFolder } from '../adapters/workspace/workspace-folder';
import { readSnapshot } from '../../core/workspace/read-snapshot';
import { workspaceLimits } from '../../core/workspace/workspace-limits';

let harness: MainHarness;
let project = '';
let root = '';
let active: string | null = null;

let workspace: HostileWorkspace;
const cases = [...hostileFiles, ...hostileContents];

const sync = () => harness.app.workspace.call({ op: 'sync', sessionId: harness.sessionId });

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'patina-hostile-'));
  root = join(project, '.patina', 'workspace');
  cpSync(resolve('seeds/workspace'), root, { recursive: true });
  workspace = createHostileWorkspace(root);
  harness = await startMain({ project });
  workspace.write(template, 'The good text.');
  must(await sync());
  active = must(
    await harness.app.workspace.call({
      op: 'apply',
      when: 'immediate_if_idle',
      sessionId: harness.sessionId,
    }),
  ).state.active;
});
afterAll(async () => {
  await harness.close();
  rmSync(project, { recursive: true, force: true });
});
beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  cpSync(resolve('seeds/workspace'), root, { recursive: true });
  workspace.write(template, 'The good text.');
});

describe.skipIf(process.platform === 'win32')('a hostile workspace', () => {
  it.each(cases)(
    '[P3-SEC-hostile] [P3-SEC-5] %s is refused by file, field and rule',
    async (_name, make, expected) => {
      await make(workspace);
      const refused = await sync();
      if (refused.ok) throw new Error('It was taken for a good one.');
      expect(refused.error).toMatchObject({ kind: 'CONFIG', code: 'INVALID' });
      expect(refused.error.problems).toContainEqual(expect.objectContaining(expected));
      expect(harness.state().workspace).toMatchObject({
        active,
        pending: null,
        waiting: null,
        sync: { status: 'rejected' },
      });
      expect(must(harness.app.log.peek(harness.sessionId)).workspace.active).toBe(active);
    },
    60_000,
  );

  it('[P3-SEC-hostile] has a separate message for each rule', () => {
    expect(cases.length).toBeGreaterThanOrEqual(25);
    expect(new Set(cases.map(([name]) => name)).size).toBe(cases.length);
  });

  it('[P3-SEC-hostile] is told apart from a valid one', async () => {
    const { sync: ended } = must(await sync()).state;
    expect(ended?.status).toBe('unchanged');
  });

  it('[P3-SEC-hostile] is refused when a file changes while it is read', async () => {
    let changes = 0;
    const folder = createWorkspaceFolder({
      root,
      limits: workspaceLimits,
      readPart: (handle, into, from) => {
        const count = readSync(handle, into, from, into.length - from, from);
        writeFileSync(workspace.at(template), `Changed ${(changes += 1)} times.`);
        return count;
      },
    });
    const found = await readSnapshot(folder);
    expect(found).toMatchObject({ ok: false, error: { problems: [{ file: template, rule: 'changed' }] } });
  });

  it('[P3-SEC-hostile] is reported by file when a file may not be read', async () => {
    chmodSync(workspace.at(template), 0o000);
    chmodSync(project, 0o755);
    const { getuid, seteuid } = process;
    if (!getuid || !seteuid) throw new Error('This system has no users.');
    const asRoot = getuid() === 0;
    // Root may read everything, so drop to an unprivileged user for this read.
    if (asRoot) seteuid(65_534);
    try {
      const found = await readSnapshot(createWorkspaceFolder({ root, limits: workspaceLimits }));
      expect(found).toMatchObject({ ok: false, error: { problems: [{ file: template, rule: 'readable' }] } });
    } finally {
      if (asRoot) seteuid(0);
      chmodSync(project, 0o700);
    }
  });
});
