import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { WorkspaceCall } from '#shared/workspace-call';
import { startMain, type MainHarness, type MainHarnessOptions } from './main-harness';
import { must } from './stored-session';

export const template = 'prompts/templates/system.base.md';
export const index = 'agent.workspace.json';

/** Starts main with workspaces that tests damage; `end` closes and removes them. */
export function createBoundWorkspaces() {
  const harnesses: MainHarness[] = [];
  const folders: string[] = [];
  /** Starts a session bound to a named workspace, with its first snapshot active. */
  const start = async (options: Omit<MainHarnessOptions, 'project'> = {}) => {
    const project = mkdtempSync(join(tmpdir(), 'patina-abuse-'));
    folders.push(project);
    const root = join(project, 'own');
    cpSync(resolve('seeds/workspace'), root, { recursive: true });
    const write = (path: string, value: string) => writeFileSync(join(root, path), value);
    const pack = (more: object) =>
      write('prompts/packs/default.json', JSON.stringify({ id: 'default', templates: [template], ...more }));
    write(template, 'The good text.');
    const harness = await startMain({ ...options, project });
    harnesses.push(harness);
    const { app, sessionId, home } = harness;
    const call = (more: WorkspaceCall) => app.workspace.call({ ...more, sessionId });
    must(app.workspace.allow('own', root));
    must(await call({ op: 'sync', workspace: 'own' }));
    must(await call({ op: 'apply', when: 'immediate_if_idle' }));
    const active = harness.state().workspace.active ?? '';
    /** The file that stores a snapshot. */
    const kept = (hash = active) => join(home, 'workspace-snapshots', `${hash}.json`);
    return { ...harness, project, root, write, pack, call, active, kept };
  };
  return {
    start,
    async end() {
      for (const harness of harnesses.splice(0)) await harness.close();
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type BoundWorkspace = Awaited<ReturnType<ReturnType<typeof createBoundWorkspaces>['start']>>;
