import { expect, type Locator } from '@playwright/test';
import { settled } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { composer, send, switchMode } from '../fixtures/window';

const background = (part: Locator): Promise<string> =>
  part.evaluate((element) => getComputedStyle(element).backgroundColor);

test('[UI-forced-colours] in forced colours, the chosen mode differs from the other one', async ({
  startModel,
  launchOn,
}) => {
  const { page } = await launchOn(await startModel({ replies: [{ match: /./, text: 'ok' }] }));
  await page.emulateMedia({ forcedColors: 'active' });
  const group = page.getByRole('radiogroup', { name: 'Mode' });
  const option = (name: string) => group.getByRole('radio', { name, exact: true });
  const pictures: Buffer[] = [];
  for (const [chosen, other] of [
    ['Ask', 'Agent Mode'],
    ['Agent Mode', 'Ask'],
  ] as const) {
    await switchMode(page, chosen);
    await composer(page).focus();
    await expect.poll(() => background(option(chosen))).not.toBe(await background(option(other)));
    pictures.push(await group.screenshot({ animations: 'disabled' }));
  }
  expect(pictures[0]?.equals(pictures[1] ?? Buffer.alloc(0))).toBe(false);
});

test('[UI-forced-colours] in forced colours, a message of the user has a frame, and a reply has none', async ({
  startModel,
  launchOn,
}) => {
  const { page } = await launchOn(await startModel({ replies: [{ match: /./, text: 'the reply' }] }));
  await send(page, 'the question');
  const turn = await settled(page, 1);
  const framed = (text: string) =>
    turn.getByText(text, { exact: true }).evaluate((line) => {
      let at: Element | null = line;
      while (at && at.tagName !== 'ARTICLE' && getComputedStyle(at).borderTopWidth === '0px')
        at = at.parentElement;
      return at?.tagName !== 'ARTICLE';
    });
  expect(await framed('the question')).toBe(false);
  await page.emulateMedia({ forcedColors: 'active' });
  expect([await framed('the question'), await framed('the reply')]).toEqual([true, false]);
});

test('[UI-forced-overlays] in forced colours, a dialog and a menu have a frame', async ({ launch }) => {
  const { page } = await launch();
  await page.emulateMedia({ forcedColors: 'active' });
  const frame = (part: Locator) => part.evaluate((element) => getComputedStyle(element).borderTopWidth);
  await page.keyboard.press('Control+,');
  expect(await frame(page.getByRole('dialog', { name: 'Settings' }))).toBe('1px');
  await page.keyboard.press('Escape');
  await composer(page).fill('/');
  expect(await frame(page.getByRole('listbox').locator('..'))).toBe('1px');
});
