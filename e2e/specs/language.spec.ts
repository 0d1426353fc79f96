import { expect, type ElectronApplication, type Page } from '@playwright/test';
import { settled, stopButton, turn } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { shots } from '../fixtures/shots';
import { composer, send } from '../fixtures/window';

async function openSettings(page: Page) {
  await page.keyboard.press('Control+,');
  return page.locator('dialog[open]');
}

const menuLabels = (app: ElectronApplication) =>
  app.evaluate(({ Menu }) => Menu.getApplicationMenu()?.items.map(({ label }) => label));

/** How far down in the view the second turn begins, in pixels. */
const place = (page: Page) =>
  page
    .getByRole('article', { name: / 2$/ })
    .evaluate(
      (row) =>
        row.getBoundingClientRect().top - (row.closest('[role=log]')?.getBoundingClientRect().top ?? 0),
    );
/** Turns the wheel up, and waits until the conversation stands still. */
async function readAbove(page: Page): Promise<number> {
  await page.getByRole('log').hover();
  await page.mouse.wheel(0, -900);
  let last = -1;
  await expect
    .poll(async () => {
      const [previous, now] = [last, await place(page)];
      last = now;
      return now === previous;
    })
    .toBe(true);
  return last;
}

const lines = (start: string) => Array.from({ length: 40 }, (_, n) => `${start} ${n}`).join('\n\n');

test('[I18N-reload] another language takes effect at once, and nothing is lost', async ({
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

test('[LOOK-clock] another form of times keeps the draft, the place and the open dialog', async ({
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
