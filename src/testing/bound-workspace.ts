import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { WorkspaceCall } from '#shared/workspace-call';
import { startMain, type MainRig, type MainRigOptions } from './main-rig';
import { must } from './stored-session';

export const template = 'prompts/templates/system.base.md';
export const index = 'agent.workspace.json';

/** Starts of main with a workspace that tests do harm to; `end` closes and removes them. */
export function createBoundWorkspaces() {
  const rigs: MainRig[] = [];
  const folders: string[] = [];
  /** A session bound to a workspace of its own name, with its first snapshot active. */
  const start = async (options: Omit<MainRigOptions, 'project'> = {}) => {
    const project = mkdtempSync(join(tmpdir(), 'patina-abuse-'));
    folders.push(project);
    const root = join(project, 'own');
    cpSync(resolve('seeds/workspace'), root, { recursive: true });
    const write = (path: string, value: string) => writeFileSync(join(root, path), value);
    const pack = (more: object) =>
      write('prompts/packs/default.json', JSON.stringify({ id: 'default', templates: [template], ...more }));
    write(template, 'The good text.');
    const rig = await startMain({ ...options, project });
    rigs.push(rig);
    const { app, sessionId, home } = rig;
    const call = (more: WorkspaceCall) => app.workspace.call({ ...more, sessionId });
    must(app.workspace.allow('own', root));
    must(await call({ op: 'sync', workspace: 'own' }));
    must(await call({ op: 'apply', when: 'immediate_if_idle' }));
    const active = rig.state().workspace.active ?? '';
    /** The file a snapshot is kept in. */
    const kept = (hash = active) => join(home, 'workspace-snapshots', `${hash}.json`);
    return { ...rig, project, root, write, pack, call, active, kept };
  };
  return {
    start,
    async end() {
      for (const rig of rigs.splice(0)) await rig.close();
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type BoundWorkspace = Awaited<ReturnType<ReturnType<typeof createBoundWorkspaces>['start']>>;
