import { expect, type Locator } from '@playwright/test';
import { test } from '../fixtures/scripted';
import { composer, switchMode } from '../fixtures/window';

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
