import { expect, type Page } from '@playwright/test';
import { axeFindings } from '../fixtures/axe';
import { settled, turn } from '../fixtures/conversation';
import { modelButton, test } from '../fixtures/scripted';
import { send, turns } from '../fixtures/window';

const rail = (page: Page) => page.getByRole('navigation', { name: 'Sessions' });
const row = (page: Page, name: string | RegExp) => rail(page).getByRole('button', { name });
const group = (page: Page, name: string) => rail(page).getByRole('region', { name });

/** The palette executes the typed command. */
async function run(page: Page, action: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command palette' }).fill(action);
  await page.getByRole('option', { name: action }).first().click();
}

test('[RAIL-pin] [RAIL-unread] [RAIL-failed] [RAIL-marks] pins, unread and failed marks are shown in the rail, also after a restart', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({
    replies: [
      { text: 'One.' },
      { text: 'Late answer.', gated: true },
      { fault: { type: 'status', status: 400, message: 'no such thing' } },
    ],
  });
  const first = await launchOn(model);
  await send(first.page, 'alpha');
  await settled(first.page, 1);
  await run(first.page, 'Pin this session');
  await expect(group(first.page, 'Pinned').getByRole('button', { name: 'alpha', exact: true })).toBeVisible();

  await first.page.keyboard.press('Control+n');
  await send(first.page, 'beta');
  await expect(row(first.page, /^beta.*working/)).toBeVisible();
  await row(first.page, 'alpha').click();
  model.release();
  await expect(row(first.page, 'beta unread')).toBeVisible();

  await first.page.keyboard.press('Control+n');
  await send(first.page, 'gamma');
  await expect(row(first.page, 'gamma failed')).toBeVisible();
  expect(await axeFindings(first.page)).toEqual([]);
  await first.app.close();

  const { page } = await launchOn(model);
  await expect(group(page, 'Pinned').getByRole('button', { name: 'alpha', exact: true })).toBeVisible();
  await expect(row(page, 'gamma failed')).toBeVisible();
  await row(page, 'beta unread').click();
  await expect(turn(page, 1)).toContainText('Late answer.');
  await expect(row(page, 'beta unread')).toHaveCount(0);
});

test('[PAL-turn] the palette copies, retries with another model for one answer, and forks', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({
    models: ['scripted', 'other'],
    replies: [{ text: 'First.' }, { text: 'Second.' }],
  });
  const { app, page } = await launchOn(model);
  await send(page, 'a question');
  await settled(page, 1);
  await run(page, 'Copy the last reply');
  await expect.poll(() => app.evaluate(({ clipboard }) => clipboard.readText())).toBe('First.');

  await run(page, 'Retry the last message with another model');
  await page.getByRole('option', { name: /^other/ }).click();
  await expect(turn(page, 1)).toContainText('Second.');
  await expect(turn(page, 1)).toContainText('2/2');
  // The model of the next lines stays.
  await expect(modelButton(page, 'scripted')).toBeVisible();

  await run(page, 'Fork this session into a new one');
  await expect(row(page, /a question/)).toHaveCount(2);
  await expect(turns(page)).toHaveCount(1);
});
