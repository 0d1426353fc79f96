import { expect, type Page } from '@playwright/test';
import { settled, stopButton, turn } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { composer, turns } from '../fixtures/window';

const mod = process.platform === 'darwin' ? 'Meta' : 'Control';

/** Types into whatever has the focus, as a person does. */
async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

const focusedName = (page: Page) =>
  page.evaluate(() => {
    const { activeElement } = document;
    return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent?.trim() ?? '';
  });

/** Presses Tab until the control of this name has the focus; a trap or a missing control fails. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await focusedName(page);
    if (name.test(focused)) return;
    seen.push(focused);
  }
  throw new Error(`Tab reached ${seen.join(' | ')}, never ${String(name)}`);
}

test('[UI-keyboard] [UI-mode] lines, mode, palette, sessions, settings and inspector by keyboard alone', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({
    replies: [
      { text: ['Kept. ', 'Never.'], gated: true },
      { match: /./, text: 'An answer.' },
    ],
  });
  const { page } = await launchOn(model);
  await expect(composer(page)).toBeFocused();
  await page.keyboard.type('first line');
  await page.keyboard.press('Shift+Enter');
  await type(page, 'second line');
  await expect(turn(page, 1)).toContainText('first line\nsecond line');
  model.release(1);
  await expect(turn(page, 1)).toContainText('Kept.');
  await page.keyboard.press('Escape');
  await expect(await settled(page, 1)).toContainText('Stopped here');
  await expect(stopButton(page)).toHaveCount(0);
  await expect(composer(page)).toBeFocused();

  const agentMode = page.getByRole('radio', { name: 'Agent Mode' });
  await page.keyboard.press(`${mod}+.`);
  await expect(agentMode).toBeChecked();
  await page.keyboard.press(`${mod}+.`);
  await expect(agentMode).not.toBeChecked();
  await tabTo(page, /^Ask$/);
  await page.keyboard.press('ArrowRight');
  await expect(agentMode).toBeChecked();
  await page.keyboard.press('ArrowLeft');
  await expect(agentMode).not.toBeChecked();

  await page.keyboard.press(`${mod}+n`);
  await expect(turns(page)).toHaveCount(0);
  await expect(composer(page)).toBeFocused();
  await type(page, 'Another session');
  await expect(await settled(page, 1)).toContainText('An answer.');
  await page.keyboard.press('Alt+ArrowDown');
  await expect(turn(page, 1)).toContainText('Kept.');
  await page.keyboard.press('Alt+ArrowUp');
  await expect(turn(page, 1)).toContainText('Another session');

  await page.keyboard.press(`${mod}+k`);
  await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible();
  await type(page, 'theme dark');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(composer(page)).toBeFocused();

  await page.keyboard.press(`${mod}+,`);
  const settings = page.getByRole('dialog', { name: 'Settings' });
  await expect(settings).toBeVisible();
  await expect(settings.getByRole('radio', { name: 'Dark' })).toBeChecked();
  await tabTo(page, /^Appearance$/);
  await page.keyboard.press('ArrowDown');
  await expect(settings.getByRole('tab', { name: 'Models' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Tab');
  const models = settings.getByRole('tabpanel', { name: 'Models' });
  await expect(models).toBeFocused();
  await expect(models).toHaveCSS('outline-style', 'solid');
  await page.keyboard.press('Escape');
  await expect(settings).toHaveCount(0);
  await expect(composer(page)).toBeFocused();

  await page.keyboard.press(`${mod}+i`);
  await expect(page.getByRole('tablist', { name: 'Inspector' })).toBeVisible();
  await tabTo(page, /^(Run|Trace|Artifacts|Prompt|Route)$/);
  await page.keyboard.press('End');
  await expect(page.getByRole('tab', { name: 'Route' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press(`${mod}+i`);
  await expect(page.getByRole('tablist', { name: 'Inspector' })).toHaveCount(0);

  await tabTo(page, /^Copy reply$/);
  await expect(page.getByRole('button', { name: 'Copy reply' })).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
});

test('[UI-keyboard] letters typed after Escape closed a dialog arrive at the caret of the message', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [{ match: /./, text: 'An answer.' }] });
  const { page } = await launchOn(model);
  await type(page, 'Hello');
  await settled(page, 1);
  await page.keyboard.type('begin end');
  for (let presses = 0; presses < 4; presses += 1) await page.keyboard.press('ArrowLeft');
  for (const keys of ['k', 'Shift+f']) {
    await page.keyboard.press(`${mod}+${keys}`);
    await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(composer(page)).toBeFocused();
    await page.keyboard.type('x');
  }
  await expect(composer(page)).toHaveValue('beginxx end');
});
