import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';
import { createControlSocket } from '../adapters/control/control-socket';
import { processAlive } from '../adapters/system/process-alive';

const harnesses: MainHarness[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A running app on a project with its own workspace, and another process's connection to it. */
async function start() {
  const project = mkdtempSync(join(tmpdir(), 'patina-push-'));
  folders.push(project);
  const root = join(project, '.patina', 'workspace');
  mkdirSync(root, { recursive: true });
  cpSync(resolve('seeds/workspace'), root, { recursive: true });
  const harness = await startMain({ project });
  harnesses.push(harness);
  await harness.app.controlSocket.serve();
  const { ask } = createControlSocket({ home: harness.home, holder: 'another', processAlive });
  const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
  return { ...harness, project, ask, write };
}

describe('a running app that receives a request of another process', () => {
  it('[P3-CS-running] [P3-DOD-2] executes sync and apply where it writes the session, and its listeners are notified', async () => {
    const { app, sessionId, ask, write, state } = await start();
    const heard: string[] = [];
    app.log.subscribe((events, id) => {
      if (id === sessionId) heard.push(...events.map(({ type }) => type));
    });
    write('prompts/templates/system.base.md', 'Pushed from outside.');
    const synced = await ask({ op: 'sync', sessionId });
    expect(synced).toMatchObject({ by: { holder: 'the patina command' }, result: { ok: true } });
    const applied = await ask({ op: 'apply', sessionId, when: 'immediate_if_idle' });
    const active = applied?.result.ok === true ? applied.result.value.state.active : null;
    expect(active).toMatch(/^[0-9a-f]{64}$/);
    expect(state().workspace.active).toBe(active);
    expect(heard).toEqual([
      ...['workspace-sync-requested', 'workspace-snapshot-ready'],
      ...['workspace-apply-requested', 'snapshot-applied'],
    ]);
  });

  it('[P3-CS-running] ignores a session that it does not have open', async () => {
    const { app, ask, project } = await start();
    expect(await ask({ op: 'sync', sessionId: 'ses_unknown' })).toBeNull();
    const asked = await ask({ op: 'sync', project });
    expect(asked?.result.ok).toBe(true);
    expect(must(app.log.summaries({ archived: false })).every(({ id }) => id.startsWith('ses_'))).toBe(true);
  });
});

describe('a failing sync', () => {
  it('[P3-SA-notice] [P3-SEC-5] raises a notice that the next successful sync removes', async () => {
    const { app, sessionId, write } = await start();
    const withdrawn: string[] = [];
    app.notices.onWithdrawn((id) => withdrawn.push(id));
    write('agent.workspace.json', '{');
    await app.workspace.call({ op: 'sync', sessionId });
    const [notice] = app.notices.all().filter(({ id }) => id.startsWith('workspace-sync-'));
    expect(notice).toMatchObject({ level: 'error', title: 'The workspace could not be synced' });
    expect(notice?.detail).toContain('agent.workspace.json');
    expect(notice?.hint).toContain('The active version stays in use.');
    cpSync(
      resolve('seeds/workspace/agent.workspace.json'),
      join(app.project() ?? '', '.patina/workspace/agent.workspace.json'),
    );
    must(await app.workspace.call({ op: 'sync', sessionId }));
    expect(withdrawn).toEqual([notice?.id]);
    expect(app.notices.all()).not.toContainEqual(notice);
  });
});

describe('the notice of a failed sync', () => {
  const failures = ({ app }: MainHarness) =>
    app.notices.all().filter(({ title }) => title === 'The workspace could not be synced');

  it('[P3-SA-notice] is shown once per folder, however many sessions asked for it, and not after it is fixed', async () => {
    const started = await start();
    const { app, project, write, sessionId } = started;
    const other = must(app.log.create(project)).id;
    const sync = (id?: string) => app.workspace.call({ op: 'sync', project, ...(id && { sessionId: id }) });
    write('agent.workspace.json', '{');
    for (const id of [sessionId, other, undefined]) expect((await sync(id)).ok).toBe(false);
    expect(failures(started)).toHaveLength(1);
    write('agent.workspace.json', readFileSync(resolve('seeds/workspace/agent.workspace.json'), 'utf8'));
    expect((await sync(other)).ok).toBe(true);
    expect(failures(started)).toEqual([]);
  });

  it('[P3-SA-notice] is separate for another folder', async () => {
    const started = await start();
    const { app, project, write, sessionId } = started;
    const folder = join(project, 'notes');
    mkdirSync(folder);
    must(app.workspace.allow('notes', folder));
    write('agent.workspace.json', '{');
    await app.workspace.call({ op: 'sync', sessionId });
    await app.workspace.call({ op: 'sync', sessionId, workspace: 'notes' });
    expect(failures(started)).toHaveLength(2);
  });

  it('[P3-SA-notice] of a missing folder says to restore the folder, not to fix a file', async () => {
    const started = await start();
    const { app, project, sessionId } = started;
    const folder = join(project, 'notes');
    mkdirSync(folder);
    must(app.workspace.allow('notes', folder));
    rmSync(folder, { recursive: true });
    const synced = await app.workspace.call({ op: 'sync', sessionId, workspace: 'notes' });
    expect(synced).toMatchObject({
      error: { kind: 'CONFIG', hint: expect.stringMatching(/^Restore the folder/) as string },
    });
  });
});
