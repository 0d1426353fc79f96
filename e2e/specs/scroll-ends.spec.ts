import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { turn, turnInSight } from '../fixtures/conversation';
import { test } from '../fixtures/patina';
import { timesOf } from '../../src/testing/full-counts';
import { holdSnapshots } from '../fixtures/hold-snapshots';
import { storeSession } from '../fixtures/stored-sessions';

const turns = 1_200;
const manyTurns = timesOf(8_000, 40_000);

test('[SCALE-end-key] End and Home reach the ends of 1,200 turns with one key press each', async ({
  launch,
  home,
}) => {
  // The height of each turn differs much from the list's estimate for turns that were never drawn.
  storeSession(home, { id: 'ses_long', title: 'A long talk', turns, pieces: 60 });
  writeFileSync(join(home, 'ui_settings.json'), '{"mode":"ask","lastSessionId":"ses_long"}');
  const { page } = await launch();
  await expect(turn(page, turns)).toBeInViewport();
  const conversation = page.getByRole('log', { name: 'Conversation' });
  const distanceToEnd = () =>
    conversation.evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight));
  for (const _round of [1, 2]) {
    await conversation.focus();
    await page.keyboard.press('Home');
    await expect(turn(page, 1)).toBeInViewport();
    await expect.poll(() => conversation.evaluate((box) => Math.round(box.scrollTop))).toBe(0);
    await page.keyboard.press('End');
    await expect(turn(page, turns)).toBeInViewport();
    await expect.poll(distanceToEnd).toBe(0);
  }
  // The focus is inside a turn: the keys still apply to the conversation.
  await turn(page, turns).getByRole('button').first().focus();
  await page.keyboard.press('Home');
  await expect(turn(page, 1)).toBeInViewport();
});

test('[SCALE-end-key] End reaches the end of many thousand turns with one key press, from their start', async ({
  launch,
  home,
}) => {
  storeSession(home, { id: 'ses_long', title: 'A very long talk', turns: manyTurns, pieces: 1 });
  writeFileSync(join(home, 'ui_settings.json'), '{"mode":"ask","lastSessionId":"ses_long"}');
  const { page } = await launch();
  await expect(turn(page, manyTurns)).toBeInViewport();
  const conversation = page.getByRole('log', { name: 'Conversation' });
  await conversation.focus();
  await page.keyboard.press('Home');
  await expect(turn(page, 1)).toBeInViewport();
  await page.keyboard.press('End');
  await expect(turn(page, manyTurns)).toBeInViewport();
  await expect
    .poll(() =>
      conversation.evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight)),
    )
    .toBe(0);
});

test('[SES-preview] the end of a long session can be read while it loads, and the place stays', async ({
  launch,
  home,
}) => {
  storeSession(home, { id: 'ses_long', title: 'A long talk', turns: 2_000, pieces: 2 });
  storeSession(home, { id: 'ses_short', title: 'A short talk', turns: 1, pieces: 1 });
  writeFileSync(join(home, 'ui_settings.json'), '{"mode":"ask","lastSessionId":"ses_short"}');
  const { app, page } = await launch();
  await expect(turn(page, 1)).toContainText('Question number 1');
  const conversation = page.getByRole('log', { name: 'Conversation' });
  const height = () => conversation.evaluate((box) => box.scrollHeight);
  const release = await holdSnapshots(app);
  await page.getByRole('button', { name: 'A long talk', exact: true }).click();
  await expect(turn(page, 2_000)).toBeInViewport();
  // The scrollbar is that of the whole, of which only the end is there.
  expect(await height()).toBeGreaterThan(150_000);
  await conversation.hover();
  await page.mouse.wheel(0, -1_200);
  await expect.poll(() => turnInSight(page)).toBeLessThan(1_997);
  const before = await turnInSight(page);
  await page.mouse.wheel(0, -8_000);
  await expect.poll(() => turnInSight(page), 'no turn is there yet').toBe(0);
  await release();
  await expect.poll(() => turnInSight(page)).toBeGreaterThan(before - 140);
  expect(await turnInSight(page)).toBeLessThan(before - 20);
});

test('[SES-preview] Home and End mean the whole of a session that still loads', async ({ launch, home }) => {
  storeSession(home, { id: 'ses_long', title: 'A long talk', turns: 2_000, pieces: 2 });
  storeSession(home, { id: 'ses_short', title: 'A short talk', turns: 1, pieces: 1 });
  writeFileSync(join(home, 'ui_settings.json'), '{"mode":"ask","lastSessionId":"ses_short"}');
  const { app, page } = await launch();
  await expect(turn(page, 1)).toContainText('Question number 1');
  const conversation = page.getByRole('log', { name: 'Conversation' });
  const release = await holdSnapshots(app);
  await page.getByRole('button', { name: 'A long talk', exact: true }).click();
  await expect(turn(page, 2_000)).toBeInViewport();
  await conversation.focus();
  await page.keyboard.press('Home');
  await expect(turn(page, 2_000)).not.toBeInViewport();
  await release();
  await expect(turn(page, 1)).toBeInViewport();
  await page.keyboard.press('End');
  await expect(turn(page, 2_000)).toBeInViewport();
});

test('[CHAT-density] six short turns fit into a window of 1280 x 800', async ({ launch, home }) => {
  storeSession(home, {
    id: 'ses_short',
    title: 'A short talk',
    turns: 6,
    pieces: 1,
    model: { providerId: 'lab', model: 'short' },
  });
  writeFileSync(join(home, 'ui_settings.json'), '{"mode":"ask","lastSessionId":"ses_short"}');
  const { app, page } = await launch();
  await app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.setContentSize(1280, 800);
  });
  await expect(turn(page, 6).getByText('Piece 1 of answer 6')).toBeInViewport({ ratio: 1 });
  await expect(turn(page, 1).getByText('Question number 1')).toBeInViewport({ ratio: 1 });
  await turn(page, 3).hover();
  const copy = turn(page, 3).getByRole('button', { name: 'Copy reply' });
  await expect(copy).toHaveCSS('opacity', '1');
});
