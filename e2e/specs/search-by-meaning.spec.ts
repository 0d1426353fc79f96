import { expect } from '@playwright/test';
import { settled, turn } from '../fixtures/conversation';
import { test } from '../fixtures/patina';
import { send } from '../fixtures/window';

test('[MEAN-suggest] the encoder of the app suggests an action under a line that went to the model', async ({
  launch,
}) => {
  const { page } = await launch();
  await send(page, 'change the preferences');
  await settled(page, 1);
  await turn(page, 1).hover();
  await page.getByRole('button', { name: 'Did you mean an action?' }).click();
  const offered = page.getByRole('dialog', { name: 'Did you mean an action?' });
  await expect(offered.getByRole('status')).toHaveText('Looking for actions…');
  // The first comparison starts the process and encodes every action.
  await offered.getByRole('button', { name: 'Settings', exact: true }).click({ timeout: 60_000 });
  await expect(page.getByRole('dialog', { name: 'Settings' })).toBeVisible();
});
