import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, mergeTests, type ElectronApplication } from '@playwright/test';
import { axeFindings } from '../fixtures/axe';
import { test as commandLine } from '../fixtures/command-line';
import { test as window } from '../fixtures/patina';
import { composer } from '../fixtures/window';

const test = mergeTests(commandLine, window);

test('[DOC-help-command] help prints the pages of the guide, also while the configuration is invalid', async ({
  patina,
  home,
}) => {
  const topics = await patina(['help']);
  expect(topics).toMatchObject({ code: 0, stderr: '' });
  expect(topics.stdout).toContain('troubleshooting');
  await mkdir(join(home, 'packs/broken/modes'), { recursive: true });
  await writeFile(join(home, 'packs/broken/pack.json'), '{ "id": "broken", "version": "1.0.0" }');
  await writeFile(join(home, 'packs/broken/modes/bad.json'), '{ "id": "bad" }');
  expect((await patina(['doctor'])).code).toBe(3);
  const page = await patina(['help', 'policy-files']);
  expect(page).toMatchObject({ code: 0, stderr: '' });
  expect(page.stdout).toContain('.patina/capabilities.json');
  expect((await patina(['help', 'recipe', 'run'])).stdout).toContain('Usage: patina recipe run');
  expect((await patina(['help', 'approvals', '--json'])).json()).toMatchObject({ topic: 'approvals' });
  const unknown = await patina(['help', 'aprovals']);
  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toContain('Did you mean approvals?');
});

const chooseInMenu = (app: ElectronApplication, id: string) =>
  app.evaluate(({ Menu }, wanted) => void Menu.getApplicationMenu()?.getMenuItemById(wanted)?.click(), id);

const helpMenu = (app: ElectronApplication) =>
  app.evaluate(({ Menu }) => {
    const menu = Menu.getApplicationMenu()?.items.find(({ label }) => label === 'Help');
    return (menu?.submenu?.items ?? []).map(({ id }) => id);
  });

test('[DOC-help-window] the window opens the guide by shortcut, menu and palette, and it can be read by keyboard alone', async ({
  launch,
}) => {
  const { app, page } = await launch();
  // The shortcuts are known once the rail shows them.
  await expect(page.getByRole('button', { name: 'All commands Ctrl K' })).toBeVisible();
  await composer(page).focus();
  await page.keyboard.press('F1');
  const guide = page.getByRole('dialog', { name: 'User guide' });
  await expect(guide.getByRole('article', { name: 'User guide' })).toContainText('desktop chat');
  expect(await axeFindings(page)).toEqual([]);

  await page.keyboard.type('rateLimits');
  await page.keyboard.press('ArrowDown');
  await expect(guide.getByRole('button', { name: 'Policy files' })).toBeFocused();
  await page.keyboard.press('Enter');
  const policy = guide.getByRole('article', { name: 'Policy files' });
  await expect(policy).toContainText('calls a minute');
  await policy.getByRole('link', { name: 'MCP servers' }).press('Enter');
  await expect(guide.getByRole('article', { name: 'MCP servers' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(guide).toBeHidden();
  await expect(composer(page)).toBeFocused();

  await expect.poll(() => helpMenu(app)).toContain('help');
  await chooseInMenu(app, 'help');
  await expect(guide).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('user guide');
  await page.keyboard.press('Enter');
  await expect(guide).toBeVisible();
});
