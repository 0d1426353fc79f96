import { expect, type Page } from '@playwright/test';
import { axeFindings } from '../fixtures/axe';
import { newestSession, ask, turn } from '../fixtures/conversation';
import { test } from '../fixtures/patina';
import { dropPack } from '../fixtures/sample-pack';
import { composer, send, switchMode } from '../fixtures/window';

const bar = (page: Page) => page.getByRole('group', { name: 'Working on' });
const picker = (page: Page) => page.getByRole('dialog').filter({ has: page.getByRole('combobox') });
const question = (page: Page) => page.getByRole('group', { name: /^Question: / });

test('[WIN-flows] [WIN-lines] [WIN-trace] flows A to D in the window, each with its trace and recorded', async ({
  launch,
}) => {
  const { page } = await launch();
  // A
  await send(page, 'switch to DDR mode');
  await expect(page.getByRole('button', { name: /^Session mode: DDR/ })).toBeVisible();
  await turn(page, 1).getByRole('button', { name: 'handled by “switch mode”' }).click();
  await expect(page.getByRole('tabpanel', { name: 'Trace' })).toContainText('Exact name');
  await page.keyboard.press('Control+i');
  // Back, with the chip: the choice is a line like any other.
  await page.getByRole('button', { name: /^Session mode/ }).click();
  await picker(page).getByRole('combobox').fill('general');
  await expect(picker(page).getByRole('option', { selected: true })).toContainText('general');
  await page.keyboard.press('Enter');
  await expect(turn(page, 2)).toContainText('/mode general');
  await expect(page.getByRole('button', { name: 'Session mode: General' })).toBeVisible();
  // B
  await send(page, 'I want to work on email templates');
  await picker(page)
    .getByRole('option', { name: /TPL-123/ })
    .click();
  await expect(bar(page).getByRole('button', { name: /TPL-123/ })).toBeVisible();
  await expect(composer(page)).toBeFocused();
  // C
  await bar(page)
    .getByRole('button', { name: /^Related persona/ })
    .click();
  await expect(bar(page).getByRole('button', { name: /^Working on: persona PERS-22/ })).toBeVisible();
  await bar(page)
    .getByRole('button', { name: /^Stop working on/ })
    .click();
  await expect(bar(page).getByRole('button', { name: /^Focus/ })).toHaveCount(0);
  // D
  await send(page, '/template TPL-123');
  await expect(bar(page).getByRole('button', { name: /TPL-123/ })).toBeVisible();
  await send(page, 'send this to the Q1 pilot list');
  await expect(question(page)).toBeFocused();
  // Typing an answer moves the focus to the field where it is written.
  await page.keyboard.type('no');
  await expect(composer(page)).toHaveValue('no');
  await page.keyboard.press('Enter');
  await expect(question(page)).toHaveCount(0);
  const { context, blocks } = await ask(page, 'session-open', { sessionId: await newestSession(page) });
  expect(context?.entityHeader?.id).toBe('TPL-123');
  expect(blocks.flat().map(({ text }) => text)).toEqual([
    'switch to DDR mode',
    '/mode general',
    'I want to work on email templates',
    '/persona PERS-22',
    '/focus PERS-22',
    '/template TPL-123',
    'send this to the Q1 pilot list',
    'no',
  ]);
});

test('[WIN-picker-many] [WIN-picker-states] a list of 100,000 items by keyboard alone, also in Agent Mode', async ({
  home,
  launch,
}) => {
  dropPack(home, [
    { id: 'many', count: 100_000 },
    { id: 'old', count: 3, stale: true },
  ]);
  const { page } = await launch();
  await switchMode(page, 'Agent Mode');
  await send(page, '/many');
  const status = picker(page).getByRole('status');
  await expect(status).toHaveText('100,000 items');
  await page.keyboard.press('End');
  const last = picker(page).getByRole('option', { selected: true });
  await expect(last).toContainText('MANY-100000');
  await expect(last).toBeInViewport();
  expect(await picker(page).getByRole('option').count()).toBeLessThan(80);
  await picker(page).getByRole('combobox').fill('MANY-77777');
  await expect(picker(page).getByRole('option', { selected: true })).toContainText('MANY-77777');
  await page.keyboard.press('Enter');
  await expect(bar(page).getByRole('button', { name: /MANY-77777/ })).toBeVisible();

  await send(page, '/old');
  await expect(picker(page)).toContainText('may be out of date');
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('region', { name: /^Choose: / })).toBeVisible();
});

test('[WIN-slash] [WIN-preview] a slash name completes, and a line is previewed without being sent', async ({
  launch,
}) => {
  const { page } = await launch();
  await composer(page).pressSequentially('/mo');
  await expect(page.getByRole('option', { name: /^\/mode / }).first()).toBeVisible();
  // The menu does not offer what was never used; its whole name completes its items.
  await composer(page).fill('');
  await composer(page).pressSequentially('/template ');
  await expect(page.getByRole('option', { name: /TPL-123/ })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(composer(page)).toHaveValue(/^\/template TPL-\d+$/);
  await page.keyboard.press('Enter');
  await expect(bar(page).getByRole('button', { name: /TPL-/ })).toBeVisible();

  await page.keyboard.press('Control+i');
  await page.getByRole('tab', { name: 'Route' }).click();
  await page.getByRole('textbox', { name: 'Try a message' }).fill('switch to DDR mode');
  const panel = page.getByRole('tabpanel', { name: 'Route' });
  await expect(panel).toContainText('Runs a command');
  await expect(panel).toContainText('Won');
  expect(await axeFindings(page)).toEqual([]);
  await expect(page.getByRole('button', { name: 'Session mode: General' })).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(1);
});
