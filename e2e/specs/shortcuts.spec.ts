import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type ElectronApplication, type Page } from '@playwright/test';
import { axeFindings } from '../fixtures/axe';
import { test } from '../fixtures/patina';

const mod = process.platform === 'darwin' ? 'Meta' : 'Control';

/** The menu of the system: group, and each entry with its shortcut. */
function menuOf(app: ElectronApplication): Promise<Record<string, string[]>> {
  return app.evaluate(({ Menu }) =>
    Object.fromEntries(
      (Menu.getApplicationMenu()?.items ?? []).map(({ label, submenu }): [string, string[]] => [
        label,
        (submenu?.items ?? []).flatMap(({ id, accelerator }): string[] =>
          id ? [`${id} ${typeof accelerator === 'string' ? accelerator : ''}`.trim()] : [],
        ),
      ]),
    ),
  );
}

/** Asked again when the driver lost its answer: its handle on a value of the main process may be collected. */
const expectMenu = (app: ElectronApplication, entries: Record<string, unknown>) =>
  expect(async () => expect(await menuOf(app)).toMatchObject(entries)).toPass({ timeout: 30_000 });

const choose = (app: ElectronApplication, id: string) =>
  app.evaluate(({ Menu }, wanted) => void Menu.getApplicationMenu()?.getMenuItemById(wanted)?.click(), id);

async function openSection(page: Page): Promise<void> {
  await page.keyboard.press(`${mod}+,`);
  await page.getByRole('tab', { name: 'Shortcuts' }).click();
}

test('[ACT-one-source] [ACT-changed] [ACT-conflict] menu and shortcuts come from the rows; the user’s changes apply and persist', async ({
  home,
  launch,
}) => {
  await writeFile(join(home, 'ui_settings.json'), '{"mode":"ask","shortcuts":{"of-a-later-version":"F9"}}');
  const { app, page } = await launch();
  await expectMenu(app, {
    Patina: [
      'palette CommandOrControl+K',
      'settings CommandOrControl+,',
      'shortcuts',
      'your-data',
      'add-server',
    ],
    Mode: expect.arrayContaining(['toggle-run-mode CommandOrControl+.']),
    Commands: expect.arrayContaining(['SetMode', 'SetActiveFile']),
  });
  await choose(app, 'SetMode');
  await expect(page.getByRole('dialog', { name: /mode/i })).toBeVisible();
  await choose(app, 'shortcuts');
  const sheet = page.getByRole('dialog', { name: 'Shortcuts' });
  await expect(sheet).toContainText('Command palette');
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');

  await openSection(page);
  await page.getByRole('button', { name: /^Command palette Ctrl ?K$/ }).press('Enter');
  await page.keyboard.press(`${mod}+i`);
  await expect(page.getByRole('alert')).toContainText('Show or hide the inspector');
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press(`${mod}+Shift+P`);
  await expect(page.getByRole('button', { name: /^Command palette Ctrl ?Shift ?P$/ })).toBeVisible();
  // Escape while keys are recorded leaves the recording, not the settings.
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Settings' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await page.keyboard.press(`${mod}+k`);
  await page.keyboard.press(`${mod}+Shift+P`);
  await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expectMenu(app, { Patina: expect.arrayContaining(['palette CommandOrControl+Shift+P']) });
  await app.close();
  expect(JSON.parse(await readFile(join(home, 'ui_settings.json'), 'utf8'))).toMatchObject({
    shortcuts: { 'of-a-later-version': 'F9', palette: 'Mod+Shift+P' },
  });

  const again = await launch();
  const palette = again.page.getByRole('dialog', { name: 'Command palette' });
  // The page listens once the app has told it the keys, a moment after the composer is there.
  await expect(async () => {
    if (!(await palette.isVisible())) await again.page.keyboard.press(`${mod}+Shift+P`);
    await expect(palette).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 30_000 });
});
