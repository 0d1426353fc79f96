import { expect } from '@playwright/test';
import { settled, turn } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { shots } from '../fixtures/shots';
import { send } from '../fixtures/window';

test('[ACT-lines] lines open, change and start things in the window, and ordinary text reaches the model', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [{ text: 'A toggle needs a class on the root.' }] });
  const { app, page } = await launchOn(model);

  await send(page, 'how do I make a dark mode toggle?');
  await settled(page, 1);
  await expect(turn(page, 1)).toContainText('A toggle needs a class on the root.');
  await expect(page.locator('html')).not.toHaveAttribute('data-theme', 'dark');

  await send(page, 'dark mode');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');

  await send(page, 'rename this chat to Toggle notes');
  await expect(
    page.getByRole('navigation', { name: 'Sessions' }).getByRole('button', { name: /^Toggle notes/ }),
  ).toBeVisible();

  await shots({ app, page }, 'window-lines');

  await send(page, 'open settings');
  await expect(page.getByRole('dialog', { name: 'Settings' })).toBeVisible();
  await page.keyboard.press('Escape');

  await send(page, 'new chat');
  await expect(page.getByText('A toggle needs a class on the root.')).toHaveCount(0);
  expect(model.chats()).toHaveLength(1);
});

test('[APP-change] a first line that changes only the app creates no session', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [{ text: 'Copper is a metal.' }] });
  const { page } = await launchOn(model);
  const sessions = page.getByRole('navigation', { name: 'Sessions' });

  await send(page, 'dark mode');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await send(page, 'open settings');
  await expect(page.getByRole('dialog', { name: 'Settings' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(sessions.getByRole('listitem')).toHaveCount(0);

  await send(page, 'what is copper?');
  await settled(page, 1);
  await expect(sessions.getByRole('listitem')).toHaveCount(1);
});
