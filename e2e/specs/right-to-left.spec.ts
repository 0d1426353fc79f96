import { expect, type Locator } from '@playwright/test';
import { settled, turn } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { shots } from '../fixtures/shots';
import { composer, send, switchMode } from '../fixtures/window';

const directionOf = (place: Locator) => place.evaluate((element) => getComputedStyle(element).direction);
const middleOf = async (place: Locator) => {
  const box = await place.boundingBox();
  return box ? box.x + box.width / 2 : NaN;
};

test('[RTL-window] a right-to-left window', async ({ startModel, launchOn }) => {
  const replies = [
    { text: ['هذا جواب قصير.\n\n```ts\nconst one = 1;\n```\n\n- أول\n- ثان\n'] },
    { text: ['An answer from left to right.'] },
  ];
  const model = await startModel({ replies });
  const { app, page } = await launchOn(model);
  await send(page, 'سؤال بالعربية');
  await settled(page, 1);
  await send(page, 'A question');
  await settled(page, 2);
  await page.keyboard.press('Control+,');
  const dialog = page.locator('dialog[open]');
  await dialog.getByRole('radio', { name: 'Right to left' }).click();
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+i');

  const rail = page.getByRole('navigation', { name: 'Sessions' });
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await expect(inspector).toBeVisible();
  expect(await middleOf(rail)).toBeGreaterThan(await middleOf(composer(page)));
  expect(await middleOf(inspector)).toBeLessThan(await middleOf(composer(page)));
  expect(await directionOf(turn(page, 1).getByText('هذا جواب'))).toBe('rtl');
  expect(await directionOf(turn(page, 2).getByText('An answer'))).toBe('ltr');
  expect(await directionOf(page.getByText('const one'))).toBe('ltr');

  const divider = page.getByRole('separator', { name: 'Width of the session list' });
  const width = Number(await divider.getAttribute('aria-valuenow'));
  await divider.press('ArrowLeft');
  await expect(divider).toHaveAttribute('aria-valuenow', String(width + 16));
  await switchMode(page, 'Agent Mode');
  const review = page.getByRole('radio', { name: 'Writes', exact: true });
  await review.press('ArrowLeft');
  await expect(page.getByRole('radio', { name: 'Plan', exact: true })).toBeChecked();
  await shots({ app, page }, 'rtl-conversation');

  await page.keyboard.press('Control+i');
  await page.keyboard.press('Control+,');
  await shots({ app, page }, 'rtl-settings');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await shots({ app, page }, 'rtl-palette');
});
