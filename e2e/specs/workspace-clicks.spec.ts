import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { axeFindings } from '../fixtures/axe';
import { test } from '../fixtures/command-line';
import type { Launched } from '../fixtures/patina';
import { apply, openPanel, ownWorkspace, sync } from '../fixtures/workspace';
import { bodies, say, state, system } from '../fixtures/workspace-wire';

/** The system's folder picker cannot be automated: it returns this folder. */
async function willChoose(app: Launched['app'], folder: string): Promise<void> {
  await app.evaluate(({ dialog }, chosen) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] });
  }, folder);
}

/** Moves the focus with Tab, as a person without a mouse would, until it is there. */
async function tabTo(page: Page, wanted: Locator, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  await expect(wanted).toBeFocused();
}

/** Two snapshots applied after one another, and one that nothing refers to. */
async function threeSnapshots(page: Page, write: (text: string) => void): Promise<Locator> {
  const opened = await openPanel(page);
  for (const text of ['The first text.', 'The second text.']) {
    write(text);
    await sync(opened);
    await apply(opened, 'immediate_if_idle');
    await expect(opened).toContainText('This version is active now.');
  }
  write('Nobody wants this.');
  await sync(opened);
  write('The second text.');
  await sync(opened);
  return opened;
}

test('[P3-Z-mouse] by mouse: pack and catalog are chosen, an earlier snapshot is restored, unreferenced ones are collected', async ({
  startModel,
  launchOn,
  project,
}) => {
  const { say: write } = ownWorkspace(project);
  const model = await startModel({ replies: [{ text: 'One.' }, { text: 'Two.' }] });
  const { page } = await launchOn(model);
  await say(page, 1, 'how wide is the sea');
  const opened = await threeSnapshots(page, write);
  await opened.getByRole('combobox', { name: 'Instructions', exact: true }).selectOption('concise');
  await opened.getByRole('combobox', { name: 'Tool set', exact: true }).selectOption('reading');
  await expect.poll(async () => (await state(page)).toolCatalog).toBe('reading');
  expect((await state(page)).promptPack).toBe('concise');

  await opened.getByRole('tab', { name: 'History' }).click();
  const applied = opened.getByRole('list', { name: 'Used here' });
  const first = (await state(page)).history.at(-2)?.hash ?? '';
  await applied
    .getByRole('button', { name: `Go back to ${first.slice(0, 12)}` })
    .first()
    .click();
  const group = opened.getByRole('group', { name: /^Go back to / });
  await group.getByRole('radio', { name: 'Now, or when the current work ends' }).check();
  await group.getByRole('button', { name: /^Go back to / }).click();
  await expect.poll(async () => (await state(page)).active).toBe(first);

  await opened.getByRole('button', { name: 'Clean up…' }).click();
  expect(await axeFindings(page)).toEqual([]);
  await opened.getByRole('button', { name: /^Remove 1 version/ }).click();
  await expect(opened).toContainText('Every saved version is used');
  await page.keyboard.press('Escape');
  await say(page, 2, 'and how deep is it');
  const sent = bodies(model).at(-1);
  expect(system(sent)).toContain('At most three sentences');
  expect(sent?.tools?.map((tool) => tool.function.name)).toContain('agent_change_mode');
});

test('[P3-Z-keyboard] by keyboard alone: pack, catalog, collect and binding a folder', async ({
  startModel,
  launchOn,
  project,
  home,
}) => {
  const { say: write } = ownWorkspace(project);
  const model = await startModel({ replies: [{ text: 'One.' }, { text: 'Two.' }] });
  const { page, app } = await launchOn(model);
  await say(page, 1, 'how wide is the sea');
  const opened = await threeSnapshots(page, write);
  await tabTo(page, opened.getByRole('combobox', { name: 'Instructions', exact: true }));
  await page.keyboard.type('concise');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await state(page)).promptPack).toBe('concise');
  await tabTo(page, opened.getByRole('combobox', { name: 'Tool set', exact: true }));
  await page.keyboard.type('reading');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await state(page)).toolCatalog).toBe('reading');

  await tabTo(page, opened.getByRole('tab', { selected: true }));
  for (let left = 4; left > 0; left -= 1) {
    if ((await opened.getByRole('tab', { name: 'History' }).getAttribute('aria-selected')) === 'true') break;
    await page.keyboard.press('ArrowRight');
  }
  await tabTo(page, opened.getByRole('button', { name: 'Clean up…' }));
  await page.keyboard.press('Enter');
  await expect(opened.getByRole('button', { name: 'Keep' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(opened).toContainText('Every saved version is used');

  const other = join(home, 'elsewhere');
  cpSync(resolve('seeds/workspace'), other, { recursive: true });
  writeFileSync(join(other, 'prompts/templates/system.base.md'), 'Answer in rhymes.');
  await willChoose(app, other);
  await tabTo(page, opened.getByRole('button', { name: 'Connect a folder' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(opened.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('rhymes');
  await page.keyboard.press('Enter');
  await expect(opened).toContainText('Pending');
  expect((await state(page)).binding.workspace).toBe('default');
  await apply(opened, 'immediate_if_idle');
  await expect.poll(async () => (await state(page)).binding.workspace).toBe('rhymes');
  expect(JSON.parse(readFileSync(join(home, 'workspaces.json'), 'utf8'))).toEqual({
    workspaces: { rhymes: other },
  });
});

test('[P3-Z-empty] a user without a workspace can create one in an empty folder, never over files, or bind one', async ({
  startModel,
  launchOn,
  home,
}) => {
  const model = await startModel({ replies: [{ text: 'One.' }, { text: 'Two.' }] });
  const { page, app } = await launchOn(model);
  await say(page, 1, 'how wide is the sea');
  const opened = await openPanel(page);
  await expect(opened).toContainText('You have no workspace of your own here yet.');
  await expect(opened).not.toContainText(/seeds|resources/);
  await expect(opened.getByRole('button', { name: 'Sync', exact: true })).toHaveCount(0);
  const full = join(home, 'full');
  mkdirSync(full);
  writeFileSync(join(full, 'agent.workspace.json'), 'mine');
  await willChoose(app, full);
  const create = async () => {
    await opened.getByRole('button', { name: 'Create a workspace' }).click();
    await opened.getByRole('textbox', { name: 'Name' }).fill('mine');
    expect(await axeFindings(page)).toEqual([]);
    await opened.getByRole('button', { name: 'Choose an empty folder…' }).click();
  };
  await create();
  await expect(opened.getByRole('status')).toContainText('is not empty');
  expect(readFileSync(join(full, 'agent.workspace.json'), 'utf8')).toBe('mine');
  expect(existsSync(join(home, 'workspaces.json'))).toBe(false);

  const empty = join(home, 'empty');
  mkdirSync(empty);
  await willChoose(app, empty);
  await opened.getByRole('button', { name: 'Choose an empty folder…' }).click();
  await expect(opened.getByRole('form')).toHaveCount(0);
  expect(existsSync(join(empty, 'agent.workspace.json'))).toBe(true);
  writeFileSync(join(empty, 'prompts/templates/system.base.md'), 'I was created here.');
  await opened.getByRole('combobox', { name: 'Workspace' }).selectOption('mine');
  await sync(opened);
  await apply(opened, 'immediate_if_idle');
  await expect.poll(async () => (await state(page)).binding.workspace).toBe('mine');
  await expect(opened).not.toContainText('You have no workspace of your own');
  await page.keyboard.press('Escape');
  await say(page, 2, 'and how deep is it');
  expect(system(bodies(model).at(-1))).toContain('I was created here.');
});
