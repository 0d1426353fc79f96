import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { WorkspaceCall } from '#shared/workspace-call';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

const harnesses: MainHarness[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function start() {
  const project = mkdtempSync(join(tmpdir(), 'patina-panel-'));
  folders.push(project);
  const root = join(project, '.patina', 'workspace');
  mkdirSync(root, { recursive: true });
  cpSync(resolve('seeds/workspace'), root, { recursive: true });
  writeFileSync(join(root, 'prompts/templates/system.base.md'), 'The text of this project.');
  const harness = await startMain({ project });
  harnesses.push(harness);
  const call = (more: WorkspaceCall) => harness.app.workspace.call({ ...more, sessionId: harness.sessionId });
  const ofProject = (more: WorkspaceCall) => harness.app.workspace.call({ ...more, project });
  const write = (path: string, value: unknown) =>
    writeFileSync(join(root, path), typeof value === 'string' ? value : JSON.stringify(value));
  const read = (path: string) =>
    JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, unknown>;
  return { ...harness, project, call, ofProject, write, read };
}

const adopt = async (call: (more: WorkspaceCall) => ReturnType<MainHarness['app']['workspace']['call']>) => {
  must(await call({ op: 'sync' }));
  return must(await call({ op: 'apply', when: 'immediate_if_idle' }));
};

describe('the data of the workspace panel', () => {
  it('[P3-W-diff] shows which texts and schema of a descriptor changed, whatever the order of keys', async () => {
    const { call, write, read } = await start();
    await adopt(call);
    const file = 'tools/descriptors/project.list-files.json';
    const { name, description, parameters } = read(file) as { [key: string]: object };
    write(file, { parameters: { ...parameters, title: 'Other' }, description, name });
    const sameAgain = 'tools/descriptors/project.read-text.json';
    write(sameAgain, JSON.stringify(read(sameAgain), null, 8));
    must(await call({ op: 'sync' }));
    const { diff } = must(await call({ op: 'diff' }));
    const [catalog] = diff?.catalogs ?? [];
    expect(catalog?.changed).toEqual([name]);
    expect(catalog?.descriptors.map(({ tool }) => tool)).toEqual([name]);
    const lines = catalog?.descriptors[0]?.hunks.flatMap((hunk) => hunk.lines) ?? [];
    expect(lines).toContainEqual({ kind: 'added', text: '  "title": "Other",' });
    expect(lines.filter(({ kind }) => kind === 'removed')).toEqual([]);
  });

  it('[P3-W-diff] separates prompts and context from what groups them', async () => {
    const { call, write } = await start();
    await adopt(call);
    write('prompts/templates/system.base.md', 'Other words.');
    write('context/docs/patina.md', 'Another document.');
    write('tools/catalogs/reading.json', { id: 'reading', tools: ['agent_list_modes'] });
    must(await call({ op: 'sync' }));
    const { diff, staged, contents } = must(await call({ op: 'diff' }));
    expect(Object.fromEntries((diff?.files ?? []).map(({ path, kind }) => [path, kind]))).toMatchObject({
      'prompts/templates/system.base.md': 'prompt',
      'context/docs/patina.md': 'context',
      'tools/catalogs/reading.json': 'definition',
    });
    expect(staged?.catalogs.find(({ id }) => id === 'reading')?.tools).toEqual(['agent_list_modes']);
    expect(contents?.catalogs.find(({ id }) => id === 'reading')?.tools).not.toEqual(['agent_list_modes']);
  });

  it('[P3-W-default] applies the defaults of new sessions immediately, whichever moment was named', async () => {
    const { ofProject, app, project } = await start();
    const { pending } = must(await ofProject({ op: 'sync' })).state;
    const { state, applyEffects } = must(await ofProject({ op: 'apply' }));
    expect(state).toMatchObject({ active: pending?.hash, waiting: null, pending: null });
    expect(new Set(Object.values(applyEffects)).size).toBe(1);
    expect(must(app.log.create(project)).workspace.active).toBe(pending?.hash);
  });

  it('[P3-W-collect] names what would be removed, and removes nothing before it is asked to', async () => {
    const { call, write } = await start();
    await adopt(call);
    write('prompts/templates/system.base.md', 'One.');
    const first = must(await call({ op: 'sync' })).state.pending?.hash;
    write('prompts/templates/system.base.md', 'Two.');
    must(await call({ op: 'sync' }));
    const dry = must(await call({ op: 'gc', dryRun: true }));
    expect(dry.removed).toEqual([first]);
    expect(must(await call({ op: 'status' })).snapshots.map(({ hash }) => hash)).toContain(first);
    expect(must(await call({ op: 'gc' })).removed).toEqual([first]);
    expect(must(await call({ op: 'status' })).snapshots.map(({ hash }) => hash)).not.toContain(first);
  });

  it('[P3-W-bind] syncs a folder under a name only once the user allowed it, and refuses a taken name', async () => {
    const { call, app, home } = await start();
    const other = mkdtempSync(join(tmpdir(), 'patina-other-'));
    folders.push(other);
    cpSync(resolve('seeds/workspace'), other, { recursive: true });
    expect(await call({ op: 'sync', workspace: 'mine' })).toMatchObject({ error: { kind: 'POLICY' } });
    must(app.workspace.allow('mine', other));
    must(app.workspace.allow('mine', other));
    expect(app.workspace.allow('mine', home)).toMatchObject({ error: { code: 'INVALID_INPUT' } });
    expect(app.workspace.allow('default', other)).toMatchObject({ error: { code: 'INVALID_INPUT' } });
    expect(existsSync(join(home, 'workspaces.json'))).toBe(true);
    const view = must(await call({ op: 'sync', workspace: 'mine' }));
    expect(view.workspaces).toContain('mine');
    // Requested, but not bound before it is applied.
    expect(view.state.binding.workspace).toBe('default');
    const bound = must(await call({ op: 'apply', when: 'immediate_if_idle' }));
    expect(bound).toMatchObject({ folder: other, state: { binding: { workspace: 'mine' } } });
  });
});
