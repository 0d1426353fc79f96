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

/** The shown texts that begin with a Latin letter and whose full stop is not where an English one ends. */
const misplacedStops = (place: Locator) =>
  place.evaluate((root) => {
    const shown = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const misplaced: string[] = [];
    for (let node = shown.nextNode(); node; node = shown.nextNode()) {
      const { data } = node as Text;
      if (!/^[A-Za-z].*\w\.$/u.test(data)) continue;
      const [before, stop] = [2, 1].map((fromEnd) => {
        const range = document.createRange();
        range.setStart(node, data.length - fromEnd);
        range.setEnd(node, data.length - fromEnd + 1);
        return range.getBoundingClientRect();
      });
      if (before && stop && stop.width > 0 && stop.left < before.left) misplaced.push(data);
    }
    return misplaced;
  });

/** How far a text of one line ends from the right edge of its box, in pixels. */
const fromRight = (place: Locator) =>
  place.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return element.getBoundingClientRect().right - range.getBoundingClientRect().right;
  });

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
  expect(await fromRight(rail.getByText('New session'))).toBeLessThan(1);
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
  await expect(dialog).toContainText('.');
  expect(await misplacedStops(dialog)).toEqual([]);
  expect(await fromRight(dialog.getByRole('heading', { name: 'Appearance' }))).toBeLessThan(1);
  await shots({ app, page }, 'rtl-settings');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await shots({ app, page }, 'rtl-palette');
});
