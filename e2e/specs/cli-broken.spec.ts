import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from '@playwright/test';
import { onModel, test } from '../fixtures/command-line';

test('[CLI-json] [OFF-broken-file] a configured but unusable model is reported; no other answers instead', async ({
  patina,
  home,
}) => {
  const address = { env: onModel({ baseUrl: 'ftp://127.0.0.1/v1' }) };
  const asked = await patina(['ask', 'hello', '--json'], address);
  expect([asked.code, asked.json()]).toMatchObject([
    3,
    { kind: 'CONFIG', code: 'INVALID', message: expect.stringContaining('OPENAI_BASE_URL') },
  ]);

  await writeFile(join(home, 'providers.json'), '{"providers":[');
  const broken = await patina(['ask', 'hello', '--json']);
  expect([broken.code, broken.json()]).toMatchObject([
    3,
    { kind: 'CONFIG', problems: [{ file: join(home, 'providers.json') }] },
  ]);
  expect((await patina(['session', 'list', '--json'])).json()).toEqual([]);
  const planned = await patina(['agent', 'write a poem about the sea', '--json']);
  expect([planned.code, planned.json()]).toMatchObject([
    3,
    { outcome: 'failed', error: { kind: 'CONFIG', problems: [{ file: join(home, 'providers.json') }] } },
  ]);
  const talk = await patina(['chat'], { input: 'hello\n' });
  expect(talk.code).toBe(0);
  expect(talk.stdout.trim()).toBe('');
  expect(talk.stderr).toContain(join(home, 'providers.json'));
  expect(await readFile(join(home, 'providers.json'), 'utf8')).toBe('{"providers":[');
  const recipe = await patina(['agent', 'count TODO and FIXME by folder', '--json']);
  expect([recipe.code, recipe.json()]).toMatchObject([0, { outcome: 'done' }]);
});

test('[H55] the command line also reports a damaged database', async ({ patina, home }) => {
  await writeFile(join(home, 'sessions.db'), 'nothing that could be a database '.repeat(100));
  const list = await patina(['session', 'list', '--json']);
  expect([list.code, list.json()]).toEqual([0, []]);
  expect(list.stderr).toContain('The session database was damaged');
});

test('[DAMAGE-one-item] [DAMAGE-reported] a half-written published workflow stops no command; standard error and the doctor name it', async ({
  patina,
  home,
}) => {
  const file = join(home, 'workflows', 'published', 'x_y_z.json');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '{"half":');
  for (const args of [['session', 'list'], ['workflow', 'list'], ['recipe', 'list'], ['modes']]) {
    const ran = await patina([...args, '--json']);
    expect([args, ran.code]).toEqual([args, 0]);
    expect(ran.stderr).toContain(`${file}: It is not JSON.`);
    expect(ran.stderr).toContain('Fix these files or move them elsewhere');
    ran.json();
  }
  const started = await patina([
    'tool',
    'agent_workflow_registry',
    '{"operation":"get_workflow_manifest","workflowId":"x_y_z"}',
  ]);
  expect(started.stderr).toContain('Workflow ‘x_y_z’ is halted: its published definition cannot be read.');
  const doctor = await patina(['doctor', '--json']);
  expect(doctor.code).toBe(3);
  expect(doctor.json()).toMatchObject({
    checks: expect.arrayContaining([
      expect.objectContaining({
        name: 'workflows',
        ok: false,
        detail: expect.stringContaining(file),
      }),
    ]),
  });
  await writeFile(file, '');
  await rm(file);
  expect((await patina(['session', 'list'])).stderr).not.toContain('x_y_z');
});

test('[CLI-tool-as-model] without a session, patina tool answers as in a new session: by mode and by tool catalog', async ({
  patina,
  project,
}) => {
  await patina(['workspace', 'create', 'mine', join(project, 'agent')]);
  await writeFile(
    join(project, 'agent', 'tools', 'catalogs', 'default.json'),
    '{"id":"default","tools":["agent_list_modes"]}',
  );
  await patina(['workspace', 'sync', '--workspace', 'mine']);
  expect((await patina(['workspace', 'apply'])).code).toBe(0);
  const list = [
    'tool',
    'agent_ddr_manager',
    '{"operation":"list_ddrs","payload":{}}',
    '--mode',
    'ddr_authoring',
    '--json',
  ];
  expect((await patina(list)).json()).toMatchObject({ code: 'CAPABILITY_DENIED', layer: 'descriptor' });
  const { verdicts } = (await patina(['prompt', '--json'])).json() as unknown as {
    verdicts: { name: string; offered: boolean; reason?: string }[];
  };
  expect(JSON.stringify(verdicts.find(({ name }) => name === 'agent_start_workflow'))).toContain(
    'always offered',
  );
});
