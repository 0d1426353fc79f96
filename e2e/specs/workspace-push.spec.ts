import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from '@playwright/test';
import { test, type CommandFixtures } from '../fixtures/command-line';
import { settled } from '../fixtures/conversation';
import { send } from '../fixtures/window';

/** Adds a workspace to a project. */
function ownWorkspace(project: string) {
  const root = join(project, '.patina', 'workspace');
  mkdirSync(root, { recursive: true });
  cpSync(resolve('seeds/workspace'), root, { recursive: true });
  return (path: string, text: string): void => writeFileSync(join(root, path), text);
}

async function onlySession(patina: CommandFixtures['patina']): Promise<string> {
  const listed = (await patina(['session', 'list', '--json'])).json() as unknown as { id: string }[];
  expect(listed).toHaveLength(1);
  return listed[0]?.id ?? '';
}

test('[P3-CS-running] [P3-DOD-2] [P3-SA-notice] [P3-SA-watch] the open window executes requests of another process, and shows a failed sync', async ({
  patina,
  project,
  launch,
}) => {
  const write = ownWorkspace(project);
  const { app, page } = await launch();
  await send(page, 'hello there');
  await settled(page, 1);
  const id = await onlySession(patina);
  const { pid } = app.process();
  const window = { holder: 'the Patina window', pid };

  const notices = page.getByRole('region', { name: 'Notices' });
  write('prompts/templates/system.base.md', 'Pushed from outside.');
  await expect(notices).toContainText("The workspace's files changed");
  const synced = await patina(['workspace', 'sync', '--session', id, '--json']);
  expect([synced.code, synced.json()]).toMatchObject([
    0,
    { carriedOutBy: window, state: { sync: { status: 'ready' }, pending: { hash: expect.any(String) } } },
  ]);
  await expect(notices).toHaveCount(0);
  const applied = await patina([
    'workspace',
    'apply',
    '--when',
    'immediate_if_idle',
    '--session',
    id,
    '--json',
  ]);
  expect([applied.code, applied.json()]).toMatchObject([
    0,
    { carriedOutBy: window, state: { pending: null } },
  ]);

  write('agent.workspace.json', '{');
  const refused = await patina(['workspace', 'sync', '--session', id, '--json']);
  expect([refused.code, refused.json()]).toMatchObject([3, { kind: 'CONFIG', code: 'INVALID' }]);
  expect(refused.stderr).toContain(`the Patina window (process ${pid})`);
  await expect(notices).toContainText('The workspace could not be synced');
  await expect(notices).toContainText('agent.workspace.json');

  cpSync(
    resolve('seeds/workspace/agent.workspace.json'),
    join(project, '.patina/workspace/agent.workspace.json'),
  );
  expect((await patina(['workspace', 'sync', '--session', id])).code).toBe(0);
  await expect(notices).toHaveCount(0);
  expect(await onlySession(patina)).toBe(id);

  await app.close();
  const stored = await patina(['workspace', 'status', '--session', id, '--json']);
  expect([stored.code, stored.json()]).toMatchObject([0, { carriedOutBy: null }]);
});

test('[P3-CS-running] a conversation in a terminal is also a running app', async ({
  patina,
  startPatina,
  project,
}) => {
  ownWorkspace(project);
  const chat = startPatina(['chat', '--project', project]);
  const asked = async () => (await patina(['workspace', 'sync', '--project', project, '--json'])).json();
  await expect.poll(asked).toMatchObject({ carriedOutBy: { holder: 'the patina command', pid: chat.pid } });
  chat.kill('SIGKILL');
  await chat.over;
  const stored = await patina(['workspace', 'apply', '--project', project, '--json']);
  expect([stored.code, stored.json()]).toMatchObject([0, { carriedOutBy: null, state: { pending: null } }]);
});
