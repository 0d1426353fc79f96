import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type ElectronApplication, type Page } from '@playwright/test';
import { ask, settled, turn } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { composer, send, turns } from '../fixtures/window';

const rail = (page: Page) => page.getByRole('navigation', { name: 'Sessions' });

/** Opens the session on the screen in its own window. */
async function openOwnWindow(app: ElectronApplication, page: Page): Promise<Page> {
  const opening = app.waitForEvent('window');
  await page.keyboard.press('Control+Shift+N');
  const own = await opening;
  await composer(own).waitFor();
  return own;
}

test('[WIN-own] a session continues in its own window, beside the main one, and returns with its draft', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({
    replies: [{ text: 'Copper is a metal.' }, { text: 'Bronze has tin.' }, { text: 'Iron rusts.' }],
  });
  const { app, page } = await launchOn(model);
  await send(page, 'what is copper?');
  await settled(page, 1);
  await composer(page).fill('an unsent line');

  const own = await openOwnWindow(app, page);
  await expect(turn(own, 1)).toContainText('Copper is a metal.');
  await expect(composer(own)).toHaveValue('an unsent line');
  await expect(rail(own)).toHaveCount(0);
  await expect(own).toHaveTitle('what is copper?');
  await expect(turns(page)).toHaveCount(0);
  await expect(composer(page)).toHaveValue('');
  const row = rail(page).getByRole('button', { name: /^what is copper/ });
  await expect(row.first()).toContainText('in its own window');

  // Both windows work at the same time.
  await send(own, 'and bronze?');
  await send(page, 'what is iron?');
  await settled(own, 2);
  await settled(page, 1);
  await expect(turn(own, 2)).toContainText(/Bronze has tin|Iron rusts/);
  await expect(turns(page)).toHaveCount(1);

  // A click on the row shows the window that the session has; a new session begins in the main one.
  await row.first().click();
  await expect(turns(page)).toHaveCount(1);
  await own.keyboard.press('Control+n');
  await expect(turns(page)).toHaveCount(0);
  await expect(turns(own)).toHaveCount(2);

  await composer(own).fill('typed in its own window');
  // As the user closes it: the page saves what it must not lose.
  await app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()
      .find((window) => window.webContents.getURL().includes('session='))
      ?.close();
  });
  await expect(row.first()).not.toContainText('in its own window');
  await row.first().click();
  await expect(turn(page, 2)).toBeVisible();
  await expect(composer(page)).toHaveValue('typed in its own window');
});

test('[WIN-own-restart] its window opens again after a restart, until the user closes it', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [{ text: 'Copper is a metal.' }] });
  const first = await launchOn(model);
  await send(first.page, 'what is copper?');
  await settled(first.page, 1);
  await openOwnWindow(first.app, first.page);
  await first.app.close();

  const second = await launchOn(model);
  const pages = () => second.app.windows();
  await expect.poll(() => pages().length).toBe(2);
  const own = pages().find((each) => each !== second.page);
  if (!own) throw new Error('There is no second window.');
  await expect(turn(own, 1)).toContainText('Copper is a metal.');
  // The app ends before the window is gone, and closes it once more.
  const ended = second.app.waitForEvent('close');
  await second.app.evaluate(({ app, BrowserWindow }) => {
    BrowserWindow.getAllWindows()
      .find((window) => window.webContents.getURL().includes('session='))
      ?.close();
    app.quit();
  });
  await ended;

  const third = await launchOn(model);
  await rail(third.page)
    .getByRole('button', { name: /^what is copper/ })
    .first()
    .click();
  await expect(turn(third.page, 1)).toContainText('Copper is a metal.');
  expect((await ask(third.page, 'settings-get', undefined)).ownWindows).toEqual([]);
  expect(third.app.windows()).toHaveLength(1);
});

test('[WIN-own-menu] the menu bar shows the commands of the session in the window in front', async ({
  startModel,
  launchOn,
  home,
}) => {
  // Only commands that were used are in the menu, and those of outreach tell the modes apart.
  const usedSources = ['email_templates', 'mailer_lists', 'personas'];
  writeFileSync(join(home, 'ui_settings.json'), JSON.stringify({ usedSources }));
  const { app, page } = await launchOn(await startModel({ replies: [{ text: 'Copper is a metal.' }] }));
  const commands = () =>
    app.evaluate(({ Menu }) => {
      const items = Menu.getApplicationMenu()?.items ?? [];
      return items.find(({ label }) => label === 'Commands')?.submenu?.items.map(({ label }) => label) ?? [];
    });
  /** The display has no window manager: set the window with the focus. */
  const focus = (own: boolean) =>
    app.evaluate(({ BrowserWindow }, wantsOwn) => {
      const windows = BrowserWindow.getAllWindows();
      const isMeant = (window: Electron.BrowserWindow) =>
        window.webContents.getURL().includes('session=') === wantsOwn;
      for (const window of windows) window.isFocused = () => isMeant(window);
      windows.find(isMeant)?.emit('focus');
    }, own);
  await send(page, 'what is copper?');
  await settled(page, 1);
  await expect.poll(commands).not.toEqual([]);
  const general = await commands();
  const own = await openOwnWindow(app, page);
  await focus(true);
  await send(own, 'switch to DDR mode');
  await expect.poll(commands).not.toEqual(general);
  await focus(false);
  await expect.poll(commands).toEqual(general);
  await focus(true);
  await expect.poll(commands).not.toEqual(general);
});

test('[WIN-own-trust] the second window has the same restrictions as the first, and closes with its session', async ({
  startModel,
  launchOn,
}) => {
  const { app, page } = await launchOn(await startModel({ replies: [{ text: 'Copper is a metal.' }] }));
  await send(page, 'what is copper?');
  await settled(page, 1);
  const own = await openOwnWindow(app, page);
  expect(await own.evaluate(() => typeof (globalThis as { require?: unknown }).require)).toBe('undefined');
  await own.evaluate(() => window.open('https://example.org'));
  await own.evaluate(() => void (location.href = 'https://example.org'));
  expect(own.url()).toMatch(/^app:\/\/patina\//);
  expect(app.windows()).toHaveLength(2);

  await app.evaluate(({ dialog }) => {
    dialog.showMessageBox = () => Promise.resolve({ response: 0, checkboxChecked: false });
  });
  const closed = own.waitForEvent('close');
  await rail(page)
    .getByRole('button', { name: /^what is copper/ })
    .first()
    .click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await page.evaluate(async () => {
    const { patina } = window as unknown as {
      patina: { invoke: (call: string, payload: unknown) => Promise<{ value: { id: string }[] }> };
    };
    const { value } = await patina.invoke('session-list', { archived: true });
    await patina.invoke('session-delete', { sessionId: value[0]?.id });
  });
  await closed;
});
