import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Page } from '@playwright/test';
import { ask, settled } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { send } from '../fixtures/window';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** Runs axe in the page; a stylesheet still fading in would be measured in between, so motion is finished first. */
async function violations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  await page.evaluate(() => document.getAnimations().forEach((animation) => animation.finish()));
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: () => Promise<{ violations: Finding[] }> } };
    return (await axe.run()).violations;
  });
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
  );
}

const reply =
  '# Title\n\nA [link](https://example.com/docs), `code` and **bold**.\n\n1. one\n2. two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst x: number = 1; // why\n```\n\n$$\ne = mc^2\n$$\n\n> quoted';

for (const theme of ['light', 'dark'] as const) {
  test(`[UI-axe] axe finds nothing in any state, ${theme}`, async ({ startModel, launchOn }) => {
    const model = await startModel({
      replies: [{ text: reply }, { fault: { type: 'status', status: 401, message: 'No.' } }],
    });
    const { page } = await launchOn(model);
    await ask(page, 'settings-set', { theme });
    await expect(page.getByRole('heading', { name: 'What should we look at?' })).toBeVisible();
    expect(await violations(page), 'first run').toEqual([]);

    await send(page, 'Show me everything');
    const first = await settled(page, 1);
    await expect(first.locator('[data-math=drawn]')).toBeAttached();
    await send(page, 'And an error');
    await expect((await settled(page, 2)).getByRole('region')).toBeVisible();
    expect(await violations(page), 'conversation').toEqual([]);

    await page.keyboard.press('Control+i');
    await expect(page.getByRole('tablist', { name: 'Inspector' })).toBeVisible();
    expect(await violations(page), 'inspector').toEqual([]);
    await page.keyboard.press('Control+i');

    await page.keyboard.press('Control+,');
    for (const section of ['Appearance', 'Models', 'Security']) {
      await page.getByRole('tab', { name: section }).click();
      expect(await violations(page), `settings, ${section}`).toEqual([]);
    }
    await page.keyboard.press('Escape');

    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible();
    expect(await violations(page), 'palette').toEqual([]);
    await page.keyboard.type('theme');
    expect(await violations(page), 'palette, searching').toEqual([]);
    await page.keyboard.press('Escape');

    await page.keyboard.press('Control+Shift+m');
    await expect(page.getByRole('dialog', { name: 'Choose a model' })).toBeVisible();
    expect(await violations(page), 'model picker').toEqual([]);
  });
}
