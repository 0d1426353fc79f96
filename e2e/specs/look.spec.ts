import { expect, type ElectronApplication, type Page } from '@playwright/test';
import { settled } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { shots } from '../fixtures/shots';
import { send } from '../fixtures/window';

async function openSettings(page: Page) {
  await page.keyboard.press('Control+,');
  return page.locator('dialog[open]');
}

const zoomOf = (app: ElectronApplication) =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getZoomFactor());
/** Of each window: whether it shows its menu bar. */
const menuBars = (app: ElectronApplication) =>
  app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map((window) => window.isMenuBarVisible()),
  );
const sizeOf = (page: Page) =>
  page
    .locator('.markdown')
    .first()
    .evaluate((text) => parseFloat(getComputedStyle(text).fontSize));
const keywordOf = (page: Page) =>
  page.getByText('const', { exact: true }).evaluate((word) => getComputedStyle(word).color);

test('[LOOK-settings] [LOOK-menu-bar] the appearance changes immediately and survives a restart', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [{ text: ['Words.\n\n```ts\nconst one = 1;\n```\n'] }] });
  const { app, page } = await launchOn(model);
  await send(page, 'Code please');
  const reply = await settled(page, 1);
  await expect(page.getByText('const', { exact: true })).toBeVisible();
  const [size, keyword] = [await sizeOf(page), await keywordOf(page)];

  const dialog = await openSettings(page);
  await dialog.getByRole('radio', { name: 'Large' }).click();
  await dialog.getByRole('radio', { name: 'Vivid' }).click();
  await dialog.getByRole('radio', { name: 'Compact' }).click();
  await dialog.getByRole('radio', { name: '24 hours' }).click();
  await dialog.getByRole('spinbutton', { name: /^Zoom/ }).fill('110');
  await dialog.getByRole('spinbutton', { name: /^Zoom/ }).press('Enter');
  await expect.poll(() => zoomOf(app)).toBeCloseTo(1.1);
  expect(await menuBars(app)).toEqual([true]);
  await dialog.getByRole('radio', { name: 'Hidden until Alt' }).click();
  await expect.poll(() => menuBars(app)).toEqual([false]);
  await shots({ app, page }, 'look-settings');
  await page.keyboard.press('Escape');
  expect(await sizeOf(page)).toBeGreaterThan(size);
  expect(await keywordOf(page)).not.toBe(keyword);
  await reply.hover();
  await expect(reply.getByText(/\d\d:\d\d/).first()).not.toContainText(/AM|PM/);
  await shots({ app, page }, 'look-large');
  await app.close();

  const again = await launchOn(model);
  await expect(again.page.locator('html')).toHaveAttribute('data-density', 'compact');
  await settled(again.page, 1);
  expect(await sizeOf(again.page)).toBeGreaterThan(size);
  expect(await zoomOf(again.app)).toBeCloseTo(1.1);
  expect(await menuBars(again.app)).toEqual([false]);
});

test('[LOOK-zoom-menu] the View menu zooms in steps, and the setting follows', async ({ launch }) => {
  const { app, page } = await launch();
  const choose = (label: string) =>
    app.evaluate(({ Menu }, wanted) => {
      const view = Menu.getApplicationMenu()?.items.find(({ label }) => label === 'View');
      view?.submenu?.items.find(({ label }) => label === wanted)?.click();
    }, label);
  await expect(async () => {
    await choose('Zoom In');
    expect(await zoomOf(app)).toBeGreaterThan(1.2);
  }).toPass();
  const dialog = await openSettings(page);
  await expect(dialog.getByRole('spinbutton', { name: /^Zoom/ })).not.toHaveValue('100');
  await choose('Actual Size');
  await expect(dialog.getByRole('spinbutton', { name: /^Zoom/ })).toHaveValue('100');
  await expect.poll(() => zoomOf(app)).toBeCloseTo(1);
});

test('[LOOK-settings-zoomed] at 200 %, the settings show all sections, and another one begins at its top', async ({
  launch,
}) => {
  const { app, page } = await launch();
  await app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    window?.setContentSize(1280, 800);
    window?.webContents.setZoomFactor(2);
  });
  await expect.poll(() => page.evaluate(() => innerWidth)).toBe(640);
  const dialog = await openSettings(page);
  await dialog.getByRole('tab', { name: 'Shortcuts' }).click();
  await dialog.getByText('New session', { exact: true }).hover();
  await page.mouse.wheel(0, 2_000);
  await expect(dialog.getByText('New session', { exact: true })).not.toBeInViewport();
  await dialog.getByRole('tab', { name: 'About' }).click();
  await expect(dialog.getByRole('heading', { name: 'About' })).toBeInViewport({ ratio: 1 });
  // The dialog itself never scrolls, or its title and the way out would be gone.
  expect(
    await dialog.evaluate((element) => [element.scrollTop, element.scrollHeight - element.clientHeight]),
  ).toEqual([0, 0]);
  await dialog.getByRole('button', { name: 'Close settings' }).click();
  await expect(dialog).toHaveCount(0);
});
