import { expect, type ElectronApplication, type Page } from '@playwright/test';
import { planOf, scriptNode } from '../fixtures/command-line';
import { ask, settled, stopButton, turn } from '../fixtures/conversation';
import { planReply } from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { shots } from '../fixtures/shots';
import { composer, send } from '../fixtures/window';
import { narrow, resize, wide } from '../states/window-size';

async function openSettings(page: Page) {
  await page.keyboard.press('Control+,');
  return page.locator('dialog[open]');
}

const menuLabels = (app: ElectronApplication) =>
  app.evaluate(({ Menu }) => Menu.getApplicationMenu()?.items.map(({ label }) => label));

const sessionMenu = (app: ElectronApplication) =>
  app.evaluate(({ Menu }) =>
    Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items.map(({ label }) => label) ?? []),
  );

/** The distance of the second turn from the top of the view, in pixels. */
const place = (page: Page) =>
  page
    .getByRole('article', { name: / 2$/ })
    .evaluate(
      (row) =>
        row.getBoundingClientRect().top - (row.closest('[role=log]')?.getBoundingClientRect().top ?? 0),
    );
/** Reads deep inside the first turn, once all of it is drawn. */
async function readAbove(page: Page): Promise<number> {
  const list = page.getByRole('log');
  await list.press('Home');
  await expect.poll(() => list.evaluate((box) => box.scrollTop)).toBe(0);
  await expect(page.getByRole('article', { name: / 1$/ })).toContainText('Line 39');
  await list.evaluate((box) => box.scrollTo({ top: 1_300 }));
  await expect(page.getByRole('button', { name: 'Jump to latest' })).toBeVisible();
  return place(page);
}

const lines = (start: string) => Array.from({ length: 40 }, (_, n) => `${start} ${n}`).join('\n\n');

test('[I18N-reload] another language takes effect immediately, and nothing is lost', async ({
  startModel,
  launchOn,
}) => {
  const replies = [
    { text: lines('Line') },
    { text: lines('More') },
    { text: ['begins ', 'goes on ', 'ends.'], gated: true },
  ];
  const model = await startModel({ replies });
  const { app, page } = await launchOn(model);
  await send(page, 'One');
  await settled(page, 1);
  await send(page, 'Two');
  await settled(page, 2);
  await send(page, 'Three');
  model.release(1);
  await expect(turn(page, 3)).toContainText('begins');
  await composer(page).fill('my draft');
  await turn(page, 2).getByRole('button', { name: 'Edit', exact: true }).press('Enter');
  await page.getByRole('textbox', { name: 'Edit the message' }).fill('edited');
  const before = await readAbove(page);

  const dialog = await openSettings(page);
  await dialog.getByRole('radio', { name: 'Deutsch' }).click();
  await expect(dialog.getByRole('heading', { name: 'Darstellung' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expect.poll(() => menuLabels(app)).toContain('Ansicht');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('textbox', { name: 'Nachricht', exact: true })).toHaveValue('my draft');
  await expect(page.getByRole('textbox', { name: 'Nachricht bearbeiten' })).toHaveValue('edited');
  await expect.poll(async () => Math.abs((await place(page)) - before)).toBeLessThan(4);

  model.release(1);
  model.release(1);
  await page.getByRole('button', { name: 'Zum Neuesten springen' }).click();
  await expect(page.getByRole('article', { name: 'Runde 3' })).toContainText('begins goes on ends.');

  await shots({ app, page }, 'german-reading');
  await openSettings(page);
  await shots({ app, page }, 'german-settings');
  await dialog.getByRole('radio', { name: 'English' }).click();
  await expect(dialog.getByRole('heading', { name: 'Appearance' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(composer(page)).toHaveValue('my draft');
  await expect(stopButton(page)).toBeHidden();
});

test('[SET-typed-unload] a form with typed text outlasts another language and the first close of the window', async ({
  startModel,
  launchOn,
}) => {
  const { app, page } = await launchOn(await startModel({ replies: [] }));
  const dialog = await openSettings(page);
  await dialog.getByRole('tab', { name: 'Models' }).click();
  await dialog.getByRole('button', { name: 'Add a provider' }).click();
  const name = dialog.getByRole('form', { name: 'Add a provider' }).getByLabel('Name');
  await name.pressSequentially('Lab');
  await dialog.getByRole('tab', { name: 'Appearance' }).click();
  await dialog.getByRole('radio', { name: 'Deutsch' }).click();
  await expect(page.getByRole('alert')).toContainText('What you typed is not saved');
  await expect(name).toHaveValue('Lab');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByRole('button', { name: 'Close settings' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');

  await openSettings(page);
  await dialog.getByRole('tab', { name: 'Modelle' }).click();
  await dialog.getByRole('button', { name: 'Anbieter hinzufügen' }).click();
  const field = dialog.getByRole('form').getByLabel('Name');
  await field.pressSequentially('Lab');
  await app.evaluate(({ app: electron }) => electron.quit());
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(field).toHaveValue('Lab');
  await shots({ app, page }, 'typed-unload');
  const ended = app.waitForEvent('close');
  await app.evaluate(({ app: electron }) => electron.quit());
  await ended;
});

test('[LOOK-clock] another time format keeps the draft, the position and the open dialog', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [{ text: lines('Line') }, { text: lines('More') }] });
  const { page } = await launchOn(model);
  await send(page, 'One');
  await settled(page, 1);
  await send(page, 'Two');
  const over = await settled(page, 2);
  await composer(page).fill('my draft');
  await turn(page, 2).getByRole('button', { name: 'Edit', exact: true }).press('Enter');
  const field = page.getByRole('textbox', { name: 'Edit the message' });
  await field.fill('edited');
  const before = await readAbove(page);
  const dialog = await openSettings(page);
  await dialog.getByRole('radio', { name: '24 hours' }).click();
  await expect(dialog).toBeVisible();
  await expect(dialog.getByRole('radio', { name: '24 hours' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(field).toHaveValue('edited');
  expect(await place(page)).toBe(before);
  await expect(composer(page)).toHaveValue('my draft');
  await field.press('Escape');
  await expect(over.locator('time').first()).not.toContainText(/AM|PM/);
});

/** How many controls of the message box are in the row of its send button. */
const besideSend = (page: Page) =>
  page.getByRole('button', { name: 'Senden', exact: true }).evaluate((send) => {
    const middle = (element: Element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return (top + bottom) / 2;
    };
    const others = [...(send.closest('form')?.querySelectorAll('button') ?? [])];
    return others.filter(
      (other) => !send.parentElement?.contains(other) && Math.abs(middle(other) - middle(send)) < 4,
    ).length;
  });

test('[I18N-rows] in German, the menu, the palette and a run have German names', async ({
  startModel,
  launchOn,
}) => {
  const code =
    "await tools.filesystem.write_file({ path: 'docs/one.txt', content: 'one' }); return { summary: 'ok' };";
  const plan = planOf([scriptNode('write', code, ['mcp://filesystem.write_file'])], 'Geschrieben.');
  const model = await startModel({
    replies: [planReply('Schreibe eine Datei', plan), { match: /^Frage/, text: 'Eine **Antwort**.' }],
  });
  const { app, page } = await launchOn(model);
  await ask(page, 'settings-set', { language: 'de' });
  await expect(page.getByRole('heading', { name: 'Was sehen wir uns an?' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Modus der Sitzung: Allgemein' })).toBeVisible();
  const field = page.getByRole('textbox', { name: 'Nachricht', exact: true });
  await field.fill('Frage eins');
  await field.press('Enter');
  const row = (n: number) => page.getByRole('article', { name: `Runde ${n}`, exact: true });
  await expect(row(1).getByRole('button', { name: 'Antwort kopieren' })).toBeAttached();
  await expect.poll(() => sessionMenu(app)).toContain('Neue Sitzung');
  await shots({ app, page }, 'german-answer');

  await resize({ app, page }, narrow);
  expect(await besideSend(page)).toBeGreaterThan(0);
  await page.getByRole('radio', { name: 'Agentenmodus', exact: true }).click();
  expect(await besideSend(page)).toBeGreaterThan(0);
  await resize({ app, page }, wide);
  await field.fill('Schreibe eine Datei');
  await field.press('Enter');
  const card = row(2).getByRole('group', { name: 'Freigabe nötig: Step write' });
  await expect(card).toBeVisible();
  await shots({ app, page }, 'german-approval');
  await card.getByRole('button', { name: 'Freigeben' }).click();
  await expect(row(2)).toContainText('1 Schreibzugriff ausgeführt');
  await page.keyboard.press('Control+i');
  await shots({ app, page }, 'german-run');
  await page.keyboard.press('Control+i');

  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Befehlspalette' });
  await expect(palette.getByRole('option', { name: /Neue Sitzung/ })).toBeVisible();
  await shots({ app, page }, 'german-palette');
  await page.keyboard.type('Verteiler');
  await expect(palette.getByRole('option').first()).toContainText('Verteiler');
  await page.keyboard.press('Escape');
  for (const section of ['Modelle', 'Verbrauch', 'Server', 'Freigaben', 'Tastenkürzel', 'Sicherheit']) {
    await page.keyboard.press('Control+,');
    await page.getByRole('tab', { name: section }).click();
    await shots({ app, page }, `german-settings-${section}`);
    await page.keyboard.press('Escape');
  }
});
