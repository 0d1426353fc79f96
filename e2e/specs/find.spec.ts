import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { turn } from '../fixtures/conversation';
import { test } from '../fixtures/patina';
import { storeSession } from '../fixtures/stored-sessions';
import { composer } from '../fixtures/window';

const turns = 5_000;

/** The number of marked matches in the page: in the current turn, and elsewhere. */
const marks = (page: Page) =>
  page.evaluate(() => ({
    here: CSS.highlights.get('found-here')?.size ?? 0,
    elsewhere: CSS.highlights.get('found')?.size ?? 0,
  }));

test('[FIND-each] a search hit opens its session at the turn, and find continues match by match from there', async ({
  launch,
  home,
}) => {
  storeSession(home, { id: 'ses_long', title: 'A very long talk', turns, pieces: 3 });
  storeSession(home, { id: 'ses_short', title: 'A short talk', turns: 1, pieces: 1 });
  writeFileSync(join(home, 'ui_settings.json'), '{"mode":"ask","lastSessionId":"ses_short"}');
  const { page } = await launch();
  await expect(turn(page, 1)).toContainText('Question number 1');

  await page.keyboard.press('Control+Shift+F');
  await page.getByPlaceholder('Search all sessions').fill('answer 2345');
  await page.getByRole('option', { name: /A very long talk/ }).click();
  await expect(turn(page, 2_345)).toBeInViewport();
  await expect(turn(page, 2_345)).toHaveAttribute('data-focused', 'true');
  await expect(turn(page, 2_345)).not.toHaveAttribute('data-focused');
  await expect(turn(page, 2_345)).toBeInViewport();

  await page.keyboard.press('Control+F');
  const field = page.getByRole('textbox', { name: 'Find in this session' });
  const count = page.getByRole('search').getByRole('status');
  await field.fill('ANSWER  499');
  await expect(count).toHaveText('4 of 33');
  await expect(turn(page, 4_990)).toBeInViewport();
  await expect.poll(async () => (await marks(page)).here).toBe(1);
  expect((await marks(page)).elsewhere).toBeGreaterThan(0);
  await field.press('Enter');
  await expect(count).toHaveText('5 of 33');
  await expect(turn(page, 4_990)).toBeInViewport();
  for (let step = 0; step < 2; step += 1) await field.press('Shift+Enter');
  await expect(count).toHaveText('3 of 33');
  await expect(turn(page, 499)).toBeInViewport();
  await field.press('Escape');
  await expect(composer(page)).toBeFocused();
  expect(await marks(page)).toEqual({ here: 0, elsewhere: 0 });
});
