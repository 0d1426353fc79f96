import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from '@playwright/test';
import { onModel, test, type Ran } from '../fixtures/command-line';
import { shots } from '../fixtures/shots';
import { send } from '../fixtures/window';

const example = resolve('examples/packs/tickets');
const dropIn = (home: string): void => cpSync(example, join(home, 'packs', 'tickets'), { recursive: true });

const actionOf = (ran: Ran): unknown => ran.json()['action'];

test('[AGN37-11-rows-only] adding a folder adds a capability, and removing it removes the capability', async ({
  home,
  patina,
}) => {
  const line = ['route', 'work on ticket TCK-101', '--json'];
  expect(actionOf(await patina(line))).toMatchObject({ type: 'continue-with-llm' });
  dropIn(home);
  expect(actionOf(await patina(line))).toEqual({
    type: 'invoke-command',
    commandId: 'SetActiveTicket',
    resolvedId: 'TCK-101',
  });
  expect(actionOf(await patina(['route', 'show my tickets', '--json']))).toMatchObject({
    type: 'open-picker',
    source: { catalogId: 'tickets' },
  });
  expect(actionOf(await patina(['route', '/ticket login bug', '--json']))).toMatchObject({
    type: 'invoke-command',
    resolvedId: 'TCK-101',
  });
  rmSync(join(home, 'packs'), { recursive: true });
  expect(actionOf(await patina(line))).toMatchObject({ type: 'continue-with-llm' });
});

test('[PACK-active-in] its toolbox is active only in the modes that it joins; elsewhere its command offers that mode', async ({
  home,
  patina,
}) => {
  dropIn(home);
  const elsewhere = await patina(['route', '/ticket TCK-101', '--mode', 'ddr_authoring', '--json']);
  expect(actionOf(elsewhere)).toMatchObject({
    type: 'ask-clarifying-question',
    commandId: 'SetMode',
    resolvedId: 'general',
  });
});

test('[PACK-disabled] a pack with an invalid row is switched off alone, and the start reports it', async ({
  home,
  patina,
}) => {
  dropIn(home);
  mkdirSync(join(home, 'packs', 'broken', 'commands'), { recursive: true });
  writeFileSync(join(home, 'packs', 'broken', 'pack.json'), '{"id":"broken","version":"1"}');
  writeFileSync(
    join(home, 'packs', 'broken', 'commands', 'Launch.json'),
    JSON.stringify({
      commandId: 'Launch',
      displayName: 'Launch',
      toolName: 'launch_rockets',
      singleParameterName: 'id',
      resolverSource: { catalogId: 'modes' },
    }),
  );
  const ran = await patina(['route', 'work on ticket TCK-101', '--json']);
  expect(ran.code).toBe(0);
  expect(actionOf(ran)).toMatchObject({ commandId: 'SetActiveTicket' });
  expect(ran.stderr).toContain('The pack "broken" is switched off');
  expect(ran.stderr).toContain('There is no tool "launch_rockets"');
});

test('[PACK-duplicate] a duplicate id stops the start', async ({ home, patina }) => {
  dropIn(home);
  cpSync(example, join(home, 'packs', 'again'), { recursive: true });
  const ran = await patina(['modes', '--json']);
  expect(ran.code).toBe(3);
  expect(ran.json()).toMatchObject({
    problems: expect.arrayContaining([
      expect.objectContaining({ rule: 'id-unique', field: 'commandId' }),
      expect.objectContaining({ rule: 'id-unique', field: 'catalogId' }),
      expect.objectContaining({ rule: 'id-unique', field: 'toolboxId' }),
    ]),
  });
  expect(String(ran.json()['hint'])).toContain('PATINA_WITHOUT_PACKS=tickets ');
});

test('[AGN37-11-rows-only] the command of a pack makes its item the focus', async ({ home, patina }) => {
  dropIn(home);
  await patina(['chat'], { input: 'work on ticket TCK-101\n' });
  const [session] = (await patina(['session', 'list', '--json'])).json() as unknown as { id: string }[];
  const state = (await patina(['session', 'show', String(session?.id), '--json'])).json();
  expect(state['context']).toMatchObject({
    domain: 'support',
    entityType: 'ticket',
    entityHeader: { id: 'TCK-101' },
    relatedEntities: [{ entityType: 'persona', header: { id: 'PERS-31' }, role: 'reporter' }],
  });
});

test('[AGN14-6-1-every-call] [AGN14-6-3-stored-id] the mode is stored by its Id and shown by its Key, in every call', async ({
  patina,
  startModel,
}) => {
  const model = await startModel({ replies: [{ text: 'Fine.' }, { text: 'Fine.' }, { text: 'Fine.' }] });
  const env = onModel(model);
  const asked = await patina(['ask', 'Hello', '--json'], { env });
  const id = String(asked.json()['sessionId']);
  const changed = await patina(['chat', '--session', id], { env, input: 'switch to DDR mode\n' });
  expect(changed.code).toBe(0);
  await patina(['ask', 'Hello again', '--session', id, '--json'], { env });
  await patina(['agent', 'Count the files', '--session', id, '--json'], { env });
  const state = (await patina(['session', 'show', id, '--json'])).json();
  expect(state['modeId']).toBe('A9E1F9C15A0C4F8D9AF51F3E8B2A6D22');
  const current = model.chats().map((request) => /Current Mode: (\w+)/.exec(JSON.stringify(request))?.[1]);
  expect(current.length).toBeGreaterThanOrEqual(3);
  expect(new Set(current.slice(1))).toEqual(new Set(['ddr_authoring']));
  expect(current[0]).toBe('general');
  expect(JSON.stringify(model.chats())).not.toContain('A9E1F9C15A0C4F8D9AF51F3E8B2A6D22');
});

test('[AGN14-9-only-tool] the event of a mode change records the command that caused it, and the reason', async ({
  patina,
}) => {
  await patina(['chat'], { input: 'switch to DDR mode\n' });
  const [session] = (await patina(['session', 'list', '--json'])).json() as unknown as { id: string }[];
  const events = (await patina(['session', 'events', String(session?.id), '--json'])).json();
  const changes = (events as unknown as { type: string }[]).filter(({ type }) => type === 'mode-changed');
  expect(changes).toMatchObject([
    {
      from: '3F8E4F377F7A4C189C7F6A8B9F945C11',
      to: 'A9E1F9C15A0C4F8D9AF51F3E8B2A6D22',
      cause: { commandId: 'SetMode' },
      reason: 'The user chose this mode.',
    },
  ]);
});

test('[AGN14-5-get-all] patina modes lists every mode as its summary', async ({ patina }) => {
  const modes = await patina(['modes', '--json']);
  expect(modes.json()).toMatchObject([
    { id: '3F8E4F377F7A4C189C7F6A8B9F945C11', key: 'general', isDefault: true },
    { id: 'A9E1F9C15A0C4F8D9AF51F3E8B2A6D22', key: 'ddr_authoring', isDefault: false },
    { id: '0FB81E6A8337444BA00A0CE28E3A1F78', key: 'workflow_authoring', isDefault: false },
  ]);
  expect((await patina(['modes'])).stdout).toContain('general  General (default)');
});

test('[AGN37-11-rows-only] [PACK-disabled] in the window a pack adds its commands, and an invalid one is reported', async ({
  home,
  launch,
}) => {
  dropIn(home);
  mkdirSync(join(home, 'packs', 'empty'), { recursive: true });
  const { page } = await launch();
  await expect(page.getByText('The pack "empty" is switched off')).toBeVisible();
  await expect(page.getByText(/A pack needs a pack\.json with id and version/)).toBeVisible();
  await send(page, 'work on ticket TCK-101');
  const bar = page.getByRole('group', { name: 'Working on' });
  await expect(
    bar.getByRole('button', { name: /^Working on: ticket TCK-101 Login fails after password reset/ }),
  ).toBeVisible();
  await send(page, 'show my tickets');
  await expect(page.getByRole('option', { name: /TCK-110/ })).toBeVisible();
});

test('[PACK-install] [PACK-refused] by mouse: a folder that is not a pack is refused; a pack is read, installed and active after a restart', async ({
  home,
  launch,
}) => {
  const { app, page } = await launch();
  const choosing = (folder: string) =>
    app.evaluate(({ dialog }, chosen) => {
      dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] });
    }, folder);
  await page.getByRole('button', { name: /^Settings/ }).click();
  const settings = page.getByRole('dialog');
  await settings.getByRole('tab', { name: 'Data' }).click();
  const choose = settings.getByRole('button', { name: 'Install a pack…' });

  await choosing(home);
  await choose.click();
  await expect(settings).toContainText('This folder is not a pack: A pack needs a pack.json');

  await choosing(example);
  await choose.click();
  await expect(settings).toContainText(example);
  await shots({ app, page }, 'pack-preview');
  await settings.getByRole('button', { name: 'Install this pack' }).click();
  await expect(settings).toContainText('It takes effect at the next start.');
  const list = settings.getByRole('list', { name: 'Packs' });
  await expect(list.getByRole('listitem')).toContainText('From the next start on');
  await expect(settings.getByRole('button', { name: 'Restart now' })).toBeVisible();
  await shots({ app, page }, 'pack-installed');
  await app.close();

  const again = await launch();
  await send(again.page, 'work on ticket TCK-101');
  await expect(again.page.getByRole('article', { name: 'Turn 1', exact: true })).toContainText('TCK-101');
  await again.page.getByRole('button', { name: /^Settings/ }).click();
  await again.page.getByRole('dialog').getByRole('tab', { name: 'Data' }).click();
  const row = again.page.getByRole('list', { name: 'Packs' }).getByRole('listitem');
  await expect(row).not.toContainText('From the next start on');
  await row.getByRole('button', { name: /^Remove/ }).click();
  await expect(again.page.getByRole('dialog')).toContainText('The pack is removed from the next start on.');
});
