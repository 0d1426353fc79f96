import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { settled, turn, turnInSight } from '../fixtures/conversation';
import { test } from '../fixtures/patina';
import { storeSession } from '../fixtures/stored-sessions';
import { send, turns } from '../fixtures/window';
import { readState } from '../../src/core/session/session-reader';
import { must, openStore } from '../../src/testing/stored-session';

const size = { turns: 5_000, pieces: 17 };

/** Milliseconds that this machine, under its current load, needs to read the events and to pass their state to a page. */
function readingTime(home: string): number {
  const store = openStore(join(home, 'sessions.db'));
  const began = performance.now();
  const { state } = must(readState(store, 'ses_long'));
  JSON.parse(JSON.stringify(state));
  const took = Math.round(performance.now() - began);
  expect(state.seq).toBe(100_001);
  store.close();
  return took;
}

/** Milliseconds from the click on a session to a text of it. */
async function openingTime(page: Page, title: string, turnNumber: number, text: string): Promise<number> {
  const opened = performance.now();
  await page.getByRole('button', { name: title, exact: true }).click();
  await expect(turn(page, turnNumber)).toContainText(text);
  return Math.round(performance.now() - opened);
}

test('[H59] a session of 100,000 events opens at its end, scrolls to its start and goes on', async ({
  launch,
  home,
}) => {
  const events = storeSession(home, { id: 'ses_long', title: 'A very long talk', ...size });
  expect(events).toBe(100_001);
  const floor = readingTime(home);
  storeSession(home, { id: 'ses_short', title: 'A short talk', turns: 1, pieces: 1 });
  storeSession(home, { id: 'ses_other', title: 'Another short talk', turns: 2, pieces: 1 });
  writeFileSync(join(home, 'ui_settings.json'), '{"mode":"ask","lastSessionId":"ses_short"}');
  const { page } = await launch();
  await expect(turn(page, 1)).toContainText('Question number 1');

  const short = await openingTime(page, 'Another short talk', 2, 'Piece 1 of answer 2.');
  const took = await openingTime(page, 'A very long talk', size.turns, 'Piece 17 of answer 5000.');
  const description = `${took} ms; bare reading ${floor} ms, a short session ${short} ms`;
  test.info().annotations.push({ type: 'opened in', description });
  expect(took).toBeLessThan(4 * (floor + short));
  expect(await turns(page).count()).toBeLessThan(60);

  const conversation = page.getByRole('log', { name: 'Conversation' });
  await conversation.focus();
  await page.keyboard.press('Home');
  await expect(turn(page, 1)).toBeInViewport();
  await expect(turn(page, 1)).toContainText('Piece 17 of answer 1.');
  await expect(turn(page, size.turns)).toHaveCount(0);
  // A script may scroll while the list is still finding its start; a person cannot.
  await expect(async () => {
    await conversation.evaluate((box) => box.scrollTo({ top: box.scrollHeight / 2 }));
    expect(await turnInSight(page)).toBeGreaterThan(2_300);
  }).toPass({ timeout: 30_000 });
  expect(await turnInSight(page)).toBeLessThan(2_700);
  expect(await turns(page).count()).toBeLessThan(60);
  await page.getByRole('button', { name: 'Jump to latest' }).click();
  await expect(turn(page, size.turns)).toBeInViewport();

  await send(page, 'One more');
  await expect(await settled(page, size.turns + 1)).toContainText('No model is connected');
});
