import { expect, type ElectronApplication } from '@playwright/test';
import { settled } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { send, turns } from '../fixtures/window';

/** Answers native questions with these buttons, in order, and records the questions. */
const answerWith = (app: ElectronApplication, buttons: readonly number[]) =>
  app.evaluate(({ dialog }, left) => {
    const asked: string[] = [];
    Object.assign(globalThis, { asked });
    const answers = [...left];
    dialog.showMessageBox = ((_window: unknown, { message }: { message: string }) => {
      asked.push(message);
      return Promise.resolve({ response: answers.shift() ?? 1, checkboxChecked: false });
    }) as unknown as typeof dialog.showMessageBox;
  }, buttons);

test('[SES-delete] a session is deleted after a native question, by mouse and by keyboard, and stays deleted', async ({
  launch,
}) => {
  const first = await launch();
  const { page, app } = first;
  await answerWith(app, [1, 0]);
  const rail = page.getByRole('navigation', { name: 'Sessions' });
  await send(page, 'A private matter');
  await settled(page, 1);
  const row = rail.getByRole('button', { name: 'A private matter', exact: true });
  const openMenu = async () => {
    await row.focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
  };
  await openMenu();
  await expect(page.getByRole('menuitem', { name: 'Archive' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Delete permanently…' })).toBeVisible();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await rail.getByRole('button', { name: /^Archived/ }).click();
  await row.click();

  // Kept at first: the other answer to the question.
  await openMenu();
  await page.getByRole('menuitem', { name: 'Delete permanently…' }).press('Enter');
  const asked = () => app.evaluate(() => (globalThis as unknown as { asked: string[] }).asked);
  await expect.poll(asked).toEqual(['Delete “A private matter” permanently?']);
  await expect(turns(page)).toHaveCount(1);

  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox', { name: 'Command palette' }).fill('Delete this session');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Messages' }).getByText('Session deleted')).toBeVisible();
  await expect(turns(page)).toHaveCount(0);
  await expect(row).toHaveCount(0);
  await app.close();

  const second = await launch();
  await expect(second.page.getByText('Sessions appear here once you send a message.')).toBeVisible();
  await expect(second.page.getByRole('button', { name: /^Archived/ })).toHaveCount(0);
});
