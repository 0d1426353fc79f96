import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { turn } from '../fixtures/conversation';
import { test } from '../fixtures/patina';
import { storeSession } from '../fixtures/stored-sessions';

const turns = 1_200;

test('[SCALE-end-key] End and Home reach the ends of 1,200 turns with one press each', async ({
  launch,
  home,
}) => {
  // Each turn is far from as high as the list expects of one that was never drawn.
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
  // The focus is on something within a turn: the keys mean the conversation all the same.
  await turn(page, turns).getByRole('button').first().focus();
  await page.keyboard.press('Home');
  await expect(turn(page, 1)).toBeInViewport();
});
